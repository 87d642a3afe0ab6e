//! Loops with independent iterations in launches that leave SMs idle.

use crate::cuda::{Finding, SimulatedLaunch, Subject};
use crate::fill::{is_small, small_in_words};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{SourceSpan, free_loop};

pub(super) const RULE: Rule = Rule {
    code: "serial-loop",
    rank: 400,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "A launch has too few blocks for the GPU, and each thread runs a loop that could be a grid dimension.",
    page: include_str!("serial_loop.md"),
    checks: &[Check::Cuda(check)],
};

/// Smallest iteration count of a reported loop. Shorter loops exist to reuse values in registers.
const MIN_PASSES: u64 = 8; // limit: fewer reuse registers

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let known: Vec<&SimulatedLaunch> =
        subject.launches.iter().filter(|launched| !launched.launch.is_assumed()).collect();
    if !subject.parses()
        || known.len() != subject.launches.len()
        || !known.iter().all(|one| is_small(subject, one))
    {
        return;
    }
    let Some((first, rest)) = known.split_first() else { return };
    // If host code computes the grid size at run time, the number of blocks is unknown.
    let in_host = || subject.in_host.iter().filter(|found| found.function == subject.kernel.name);
    if first.launch.place.is_some() && !in_host().all(|found| found.grid.is_some() && found.block.is_some()) {
        return;
    }
    // Through one pointer, an iteration may read a value that another iteration wrote through the other
    // pointer.
    if in_host().any(|found| found.shares_arrays) {
        return;
    }
    let free = |launched: &SimulatedLaunch| {
        free_loop(subject.environment, subject.kernel, &launched.launch.configuration)
    };
    let Some(found) = free(first).filter(|found| found.passes >= MIN_PASSES) else { return };
    if rest.iter().any(|launched| free(launched).is_none()) {
        return;
    }
    let message = format!(
        "{}. The {} iterations of this loop are independent: with `{}` as a grid dimension the launch has {} blocks.",
        small_in_words(subject, first),
        found.passes,
        found.counter,
        first.launch.blocks().saturating_mul(found.passes),
    );
    let stores =
        format!("each iteration stores to elements of `{}` that no other iteration accesses", found.pointer);
    let related = Related { place: SourceSpan::new(subject.item, &found.store), message: stores };
    let place = SourceSpan::new(subject.item, &found.place);
    findings.push(Finding { related: vec![related], ..Finding::new(RULE.code, place, message) });
}
