//! A fixed-latency result that is read before it is ready.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::hazards::{MissingOrder, Order};

pub(super) const RULE: Rule = Rule {
    code: "read-too-early",
    rank: 130,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A fixed-latency result is read, or used as a guard, before it is ready.",
    page: include_str!("read_too_early.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for hazard in &codes.checked.hazards {
        let (Order::ReadAfterWrite, MissingOrder::Cycles { has, needs }) = (hazard.order, &hazard.lack)
        else {
            continue;
        };
        let (first, second) = (hazard.first, hazard.second);
        if !codes.has_final_cycles(first, second) {
            continue;
        }
        let guards = codes.inst(second).guard.is_some_and(|guard| guard.predicate == hazard.register);
        let name = codes.register(hazard.register);
        let message = format!(
            "{name} may not be ready: {} it {} after {}, which needs {} on {} ({})",
            if guards { "the guard reads" } else { "this reads" },
            cycles(*has),
            codes.mnemonic(first),
            needs.value,
            codes.arch(),
            needs.source,
        );
        let range = codes.place(second, hazard.register, false);
        findings.push(Codes::finding(RULE.code, second, range, message, [(first, format!("writes {name}"))]));
    }
}

/// Number of cycles with its unit: `1 cycle`, `2 cycles`.
pub(super) fn cycles(count: u32) -> String {
    format!("{count} cycle{}", if count == 1 { "" } else { "s" })
}
