//! Loads that each iteration of a loop repeats from the same addresses.

use crate::cuda::{Finding, Subject};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{AccessKind, InvariantLoad, Run, Site};

pub(super) const RULE: Rule = Rule {
    code: "invariant-load",
    rank: 470,
    group: Group::Memory,
    severity: Severity::Hint,
    summary: "Each iteration of a loop loads from the same addresses; a store or a barrier keeps the compiler from hoisting the load.",
    page: include_str!("invariant_load.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for load in subject.runs().flat_map(|run| &run.invariant_loads) {
        let place = load.place;
        let is_known = |known: &Finding| known.code == RULE.code && known.place == place;
        if findings.iter().any(is_known) || !subject.runs().all(|run| holds(run, load)) {
            continue;
        }
        let by = if load.is_kept_by_barrier { "a barrier in the loop" } else { "a store in the loop" };
        let restrict = match &load.parameter {
            Some(name) => format!(
                ", or declare `{name}` `const` and `__restrict__` if nothing writes to it while the kernel runs"
            ),
            None => String::new(),
        };
        let message = format!(
            "loads from the same addresses in each iteration: {by} keeps the compiler from hoisting the load. \
             Load the value into a variable before the loop{restrict}."
        );
        let keeps = if load.is_kept_by_barrier {
            "the compiler must assume that memory changes at this barrier"
        } else {
            "the compiler must assume that this store goes to the same array"
        };
        let related = Related { place: load.kept_by, message: keeps.to_owned() };
        findings.push(Finding { related: vec![related], ..Finding::new(RULE.code, place, message) });
    }
}

/// True if the launch repeats the load from the same addresses, or does not execute the load.
fn holds(run: &Run, load: &InvariantLoad) -> bool {
    let own = Site { place: load.place, kind: AccessKind::Load };
    let is_made = run.uses.iter().any(|(site, _)| *site == own);
    !is_made || run.invariant_loads.iter().any(|other| other.place == load.place)
}
