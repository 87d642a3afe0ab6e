//! Launches with fewer blocks than the GPU can hold concurrently.

use crate::cuda::{SimulatedLaunch, Subject};
use model::paper::occupancy::{BlockNeeds, occupancy};

/// True if a launch cannot fill all SMs even once, independent of the register count of its threads.
pub(crate) fn is_small(subject: &Subject<'_>, launched: &SimulatedLaunch) -> bool {
    let at_once = u64::from(subject.gpu.part.sm_count.value) * u64::from(min_blocks(subject, launched));
    launched.launch.dynamic_shared.is_some() && launched.launch.blocks() < at_once
}

/// Resident blocks per SM if threads use the maximum number of registers.
fn min_blocks(subject: &Subject<'_>, launched: &SimulatedLaunch) -> u32 {
    let resources = &subject.gpu.arch.resources;
    let threads = launched.launch.threads();
    let shared = u32::try_from(launched.shared_bytes()).unwrap_or(u32::MAX);
    let most = resources.max_registers_per_thread.value;
    let held = |registers: u32| occupancy(resources, BlockNeeds { threads, registers, shared }).active_blocks;
    // In a large block, each thread is limited to fewer registers.
    (1..=most).rev().map(held).find(|blocks| *blocks > 0).unwrap_or(0)
}

/// Describes a small launch: `the launch has 16 blocks for the GPU's 132 SMs, each of which holds at least 1 at once`.
pub(crate) fn small_in_words(subject: &Subject<'_>, launched: &SimulatedLaunch) -> String {
    let blocks = launched.launch.blocks();
    format!(
        "the launch has {blocks} block{} for the GPU's {} SMs, each of which holds at least {} at once",
        if blocks == 1 { "" } else { "s" },
        subject.gpu.part.sm_count.value,
        min_blocks(subject, launched),
    )
}
