//! A variable-latency result that is used without waiting for it.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::Inst;
use model::hazards::{Hazard, MissingOrder, Order};

pub(super) const RULE: Rule = Rule {
    code: "unwaited-result",
    rank: 150,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A variable-latency result is read or overwritten without waiting for its scoreboard.",
    page: include_str!("unwaited_result.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for hazard in &codes.checked.hazards {
        let name = codes.register(hazard.register);
        let writer = codes.mnemonic(hazard.first);
        let guards = codes.inst(hazard.second).guard.is_some_and(|guard| guard.predicate == hazard.register);
        let fails = match hazard.order {
            Order::ReadAfterWrite if guards => format!("guard {name} may not be ready"),
            Order::ReadAfterWrite => format!("{name} may not be ready"),
            Order::WriteAfterWrite => format!("{name} may be overwritten by the earlier result of {writer}"),
            Order::WriteAfterRead => continue,
        };
        let Some(lacks) = lacks(codes, hazard, "write barrier") else { continue };
        let message = format!("{fails}: {lacks}");
        let range = codes.place(hazard.second, hazard.register, hazard.order == Order::WriteAfterWrite);
        let related = [(hazard.first, format!("writes {name}"))];
        findings.push(Codes::finding(RULE.code, hazard.second, range, message, related));
    }
}

/// Description of the missing wait. `None` if no wait is missing, or if an assembler may still insert it.
pub(super) fn lacks(codes: &Codes<'_>, hazard: &Hazard, barrier: &str) -> Option<String> {
    if !codes.has_codes_of(hazard) {
        return None;
    }
    let first = codes.mnemonic(hazard.first);
    match hazard.lack {
        MissingOrder::Cycles { .. } => None,
        MissingOrder::Scoreboard => Some(format!("{first} sets no {barrier}")),
        MissingOrder::Wait { scoreboards } if codes.may_wait_before(hazard.second, scoreboards) => None,
        MissingOrder::Wait { scoreboards } => {
            let names = codes.scoreboards(scoreboards, "or");
            let waits = codes.inst(hazard.second).control.map_or(0, |control| control.wait_mask);
            if waits & scoreboards != 0 && hazard.first + 1 == hazard.second {
                // A wait in the next cycle does not yet see the scoreboard as set.
                return codes.is_final(hazard.first).then(|| {
                    format!("the wait for {names} issues only 1 cycle after {first}, which is too early to see the \
                             scoreboard set. Raise the stall count of {first} to 2")
                });
            }
            let waits_for_one =
                |inst: &Inst| inst.control.is_some_and(|control| control.wait_mask & scoreboards != 0);
            let mut all = codes.instructions();
            Some(if all.any(|(at, inst)| waits_for_one(inst) || codes.mnemonic(at) == "DEPBAR") {
                format!("{first} signals {names}, but no wait on the way from there to here covers it")
            } else {
                format!("{first} signals {names} and no instruction waits for it")
            })
        }
    }
}
