//! Two writes to a register whose results may arrive in the wrong order.

use super::read_too_early::cycles;
use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::hazards::{MissingOrder, Order};

pub(super) const RULE: Rule = Rule {
    code: "overwritten-too-early",
    rank: 140,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "Two instructions write one register, and the earlier result may arrive last.",
    page: include_str!("overwritten_too_early.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for hazard in &codes.checked.hazards {
        let (Order::WriteAfterWrite, MissingOrder::Cycles { has, needs }) = (hazard.order, &hazard.lack)
        else {
            continue;
        };
        let (first, second) = (hazard.first, hazard.second);
        if !codes.has_final_cycles(first, second) {
            continue;
        }
        let name = codes.register(hazard.register);
        let message = format!(
            "{name} may keep the older result: {} issues {} after {}, but needs {} on {} for its result to arrive \
             last ({})",
            codes.mnemonic(second),
            cycles(*has),
            codes.mnemonic(first),
            needs.value,
            codes.arch(),
            needs.source,
        );
        let range = codes.place(second, hazard.register, true);
        findings.push(Codes::finding(RULE.code, second, range, message, [(first, format!("writes {name}"))]));
    }
}
