//! Branches at which adjacent lanes diverge.

use crate::cuda::{Finding, Subject};
use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};
use model::cuda::{Branch, Run};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    code: "divergent-branch",
    rank: 490,
    group: Group::Schedule,
    severity: Severity::Info,
    summary: "Adjacent lanes take different sides of a branch, and both sides access memory: each warp executes both.",
    page: include_str!("divergent_branch.md"),
    checks: &[Check::Cuda(check)],
};

/// Smallest number of accesses on each side per execution of the branch. With fewer accesses, the compiler
/// predicates both sides.
const MIN_ACCESSES: f64 = 4.0; // limit: with fewer the compiler predicates

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for branch in subject.runs().flat_map(|run| &run.divergent_branches) {
        let place = branch.place;
        let is_known = |known: &Finding| known.code == RULE.code && known.place == place;
        let is_reported = |run: &Run| {
            run.divergent_branches.iter().any(|other| other.place == branch.place && parts(run, other))
        };
        if findings.iter().any(is_known) || !subject.runs().all(is_reported) {
            continue;
        }
        let message = format!(
            "adjacent lanes diverge: each warp executes both sides, one with {:.0} active lanes and the other \
             with {:.0}. If possible, assign the work so that all lanes of a warp take the same side.",
            branch.taken / branch.passed,
            (branch.lanes - branch.taken) / branch.passed
        );
        findings.push(Finding::new(RULE.code, place, message));
    }
}

/// True if lanes diverge in an alternating pattern at each execution of the branch, and both sides access memory
/// often.
fn parts(run: &Run, branch: &Branch) -> bool {
    let Some(sides) = branch.sides.as_ref().filter(|_| branch.is_alternating) else { return false };
    let accesses = |side: &Range<u32>| -> f64 {
        let own = run.uses.iter().filter(|(site, _)| {
            site.place.item == branch.place.item
                && side.start <= site.place.start
                && site.place.end <= side.end
        });
        own.map(|(_, used)| used.requests + used.unknown).sum()
    };
    branch.diverged >= branch.passed
        && sides.iter().all(|side| accesses(side) >= MIN_ACCESSES * branch.passed)
}
