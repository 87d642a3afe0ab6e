//! Loops over independent passes in launches that leave SMs without work.

use crate::cuda::{Finding, Launched, Spot, Subject};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::free_loop;
use model::paper::occupancy::{BlockNeeds, occupancy};

pub(super) const RULE: Rule = Rule {
    code: "serial-loop",
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "A launch has too few blocks for the GPU, and each thread loops over passes that could be a dimension of the grid.",
    page: include_str!("serial_loop.md"),
    checks: &[Check::Cuda(check)],
};

/// Passes of a loop that are told: a thread with fewer values keeps them for the sake of its registers.
const LEAST_PASSES: u64 = 8;

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let known: Vec<&Launched> = subject.launches.iter().filter(|launched| !launched.is_assumed).collect();
    if !subject.parses()
        || known.len() != subject.launches.len()
        || !known.iter().all(|one| is_small(subject, one))
    {
        return;
    }
    let Some((first, rest)) = known.split_first() else { return };
    // Of a launch that host code sizes by what only a run tells, nobody knows how many blocks it has.
    let in_host = || subject.in_host.iter().filter(|found| found.function == subject.kernel.name);
    if first.place.is_some() && !in_host().all(|found| found.grid.is_some() && found.block.is_some()) {
        return;
    }
    // A pass may read through one pointer what another wrote through the other.
    if in_host().any(|found| found.shares_arrays) {
        return;
    }
    let free = |launched: &Launched| free_loop(subject.environment, subject.kernel, &launched.configuration);
    let Some(found) = free(first).filter(|found| found.passes >= LEAST_PASSES) else { return };
    if rest.iter().any(|launched| free(launched).is_none()) {
        return;
    }
    let blocks = first.blocks();
    let message = format!(
        "the launch has {blocks} block{} for the {} SMs of the GPU, each of which holds {} or more at once. The {} passes of this loop \
             need nothing of each other: with `{}` as a dimension of the grid the launch has {} blocks.",
        if blocks == 1 { "" } else { "s" },
        subject.gpu.part.sm_count.value,
        least_blocks(subject, first),
        found.passes,
        found.counter,
        blocks.saturating_mul(found.passes),
    );
    let stores = format!("each pass stores to elements of `{}` that no other pass touches", found.pointer);
    let related = Related { place: Spot::new(subject.item, &found.store), message: stores };
    let place = Spot::new(subject.item, &found.place);
    findings.push(Finding { related: vec![related], ..Finding::new(RULE.code, place, message) });
}

/// Whether a launch does not fill the SMs once, however many registers its threads take.
fn is_small(subject: &Subject<'_>, launched: &Launched) -> bool {
    let at_once = u64::from(subject.gpu.part.sm_count.value) * u64::from(least_blocks(subject, launched));
    launched.dynamic_shared.is_some() && launched.blocks() < at_once
}

/// Blocks that an SM holds if threads take as many registers as they may.
fn least_blocks(subject: &Subject<'_>, launched: &Launched) -> u32 {
    let resources = &subject.gpu.arch.resources;
    let threads = launched.block.iter().fold(1_u32, |threads, size| threads.saturating_mul(*size));
    let shared = launched.run.shared_bytes.saturating_add(launched.dynamic_shared.unwrap_or(0).into());
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    let most = resources.max_registers_per_thread.value;
    let held = |registers: u32| occupancy(resources, BlockNeeds { threads, registers, shared }).active_blocks;
    // Of a large block each thread has to do with fewer.
    (1..=most).rev().map(held).find(|blocks| *blocks > 0).unwrap_or(0)
}
