//! Occupancy as a function of block size, register count or shared memory.

use crate::engine::sass_view::SassView;
use crate::kernels::launch::launches;
use crate::kernels::summary::kernel_at;
use crate::words::numbers::counted;
use machine::SmResources;
use model::Occupancy;
use model::paper::occupancy::{BlockNeeds, occupancy};
use serde::Serialize;

/// Occupancy curves of a kernel at its first launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OccupancyCurves {
    /// The GPU that the curves are computed for, and why it was chosen.
    pub gpu: String,
    /// Source of the figures.
    pub model: &'static str,
    pub curves: Vec<OccupancyCurve>,
}

/// Active warps per SM as a function of one resource of a launch. The other resources keep their
/// values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OccupancyCurve {
    /// Name of the resource: `block size`, `registers` or `shared memory`.
    pub axis: &'static str,
    /// Unit of the resource: `threads`, `per thread` or `bytes per block`.
    pub unit: &'static str,
    /// Value of the resource in the launch.
    pub now: u32,
    pub now_blocks: u32,
    pub now_warps: u32,
    pub max_warps: u32,
    /// Values at which the number of warps or blocks changes, in ascending order. Each point applies up to the next
    /// point. The last point is the largest legal value.
    pub points: Vec<OccupancyPoint>,
    /// A sentence about the change that lets more warps run; `None` if no change would.
    pub tip: Option<String>,
}

/// Occupancy at one value of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OccupancyPoint {
    pub x: u32,
    pub warps: u32,
    pub blocks: u32,
}

/// Source of the figures, as panels show it.
const MODEL: &str = "resource limits of the architecture, as the vendor's occupancy calculator counts them";

/// Returns the curves for the kernel at an offset, or for the nearest kernel. `None` if the document
/// has no kernel.
pub(crate) fn curves(sass: &SassView, offset: usize) -> Option<OccupancyCurves> {
    let (index, _) = kernel_at(sass, offset)?;
    let kernel = sass.kernel(index);
    let launches = launches(&kernel);
    let (launch, _) = launches.first()?;
    let threads = launch.block.iter().fold(1_u32, |threads, size| threads.saturating_mul(*size));
    let needs = BlockNeeds { threads, registers: launch.registers.value, shared: launch.shared.value };
    let resources = &kernel.target.gpu.arch.resources;
    let curves =
        vec![by_threads(resources, needs), by_registers(resources, needs), by_shared(resources, needs)];
    Some(OccupancyCurves { gpu: kernel.target.describe(), model: MODEL, curves })
}

fn by_threads(resources: &SmResources, needs: BlockNeeds) -> OccupancyCurve {
    let warp = resources.warp_size.max(1);
    let most = resources.max_threads_per_block.value;
    let at = |threads| occupancy(resources, BlockNeeds { threads, ..needs });
    let now = at(needs.threads);
    let sizes = (warp..=most).step_by(warp as usize);
    let best =
        sizes.clone().map(|threads| (at(threads).active_warps, threads)).max_by_key(|&(warps, threads)| {
            // Of equally good sizes, prefer the size closest to the launch's own size.
            (warps, std::cmp::Reverse(threads.abs_diff(needs.threads)))
        });
    let tip = best.filter(|&(warps, _)| warps > now.active_warps).map(|(warps, threads)| {
        format!("Blocks of {threads} threads run {warps} of {} warps per SM", now.max_warps)
    });
    curve(("block size", "threads"), needs.threads, &now, sizes, at, tip)
}

fn by_registers(resources: &SmResources, needs: BlockNeeds) -> OccupancyCurve {
    let at = |registers| occupancy(resources, BlockNeeds { registers, ..needs });
    let now = at(needs.registers);
    let tip = more_blocks(needs.registers, &now, at, ("register", "fewer"));
    let most = resources.max_registers_per_thread.value;
    curve(("registers", "per thread"), needs.registers, &now, 1..=most, at, tip)
}

fn by_shared(resources: &SmResources, needs: BlockNeeds) -> OccupancyCurve {
    let at = |shared| occupancy(resources, BlockNeeds { shared, ..needs });
    let now = at(needs.shared);
    let tip = more_blocks(needs.shared, &now, at, ("byte", "less"));
    let unit = resources.shared_unit.value.max(1);
    let most = resources.shared_per_block.value;
    // The bytes that the driver reserves shift the steps off the multiples of the unit.
    let shift = (unit - resources.shared_reserved_per_block.value % unit) % unit;
    let steps = std::iter::once(0).chain((shift..=most).step_by(unit as usize).flat_map(|at| [at, at + 1]));
    let steps = steps.chain([most]).filter(move |&shared| shared <= most);
    curve(("shared memory", "bytes per block"), needs.shared, &now, steps, at, tip)
}

/// Formats the smallest reduction that allows more resident blocks: `2 registers fewer allow 4 blocks
/// per SM`. `None` if no reduction does.
fn more_blocks(
    now: u32,
    occupied: &Occupancy,
    at: impl Fn(u32) -> Occupancy,
    (what, less): (&str, &str),
) -> Option<String> {
    let blocks = |value| at(value).active_blocks;
    if now == 0 || blocks(0) <= occupied.active_blocks {
        return None;
    }
    // Using less of a resource never reduces the blocks, so a binary search finds the threshold.
    let (mut low, mut high) = (0, now);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if blocks(middle) > occupied.active_blocks { low = middle } else { high = middle }
    }
    let (given_up, more) = (now - low, blocks(low));
    let reach = if given_up == 1 { "allows" } else { "allow" };
    let (given_up, more) = (counted(given_up as usize, what), counted(more as usize, "block"));
    Some(format!("{given_up} {less} {reach} {more} per SM"))
}

fn curve(
    (axis, unit): (&'static str, &'static str),
    now: u32,
    occupied: &Occupancy,
    values: impl Iterator<Item = u32>,
    at: impl Fn(u32) -> Occupancy,
    tip: Option<String>,
) -> OccupancyCurve {
    let mut points: Vec<OccupancyPoint> = Vec::new();
    let mut last = None;
    for x in values {
        let Occupancy { active_warps: warps, active_blocks: blocks, .. } = at(x);
        let point = OccupancyPoint { x, warps, blocks };
        if points.last().is_none_or(|before| before.warps != warps || before.blocks != blocks) {
            points.push(point);
        }
        last = Some(point);
    }
    if let Some(last) = last.filter(|last| points.last().is_some_and(|before| before.x < last.x)) {
        points.push(last);
    }
    OccupancyCurve {
        axis,
        unit,
        now,
        now_blocks: occupied.active_blocks,
        now_warps: occupied.active_warps,
        max_warps: occupied.max_warps,
        points,
        tip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    fn resources() -> SmResources {
        Machine::builtin().gpu("h100-sxm").expect("it ships").arch.resources.clone()
    }

    #[test]
    fn registers_to_give_up_are_the_fewest() {
        let needs = BlockNeeds { threads: 256, registers: 66, shared: 0 };
        let curve = by_registers(&resources(), needs);
        // 66 registers are allocated as 72: 3 blocks. 64 fit four times.
        assert_eq!((curve.now_blocks, curve.now_warps), (3, 24));
        assert_eq!(curve.tip.as_deref(), Some("2 registers fewer allow 4 blocks per SM"));
        assert!(curve.points.is_sorted_by(|one, next| one.x < next.x && one.warps >= next.warps));
    }

    #[test]
    fn nothing_is_proposed_at_full_occupancy() {
        let needs = BlockNeeds { threads: 256, registers: 32, shared: 0 };
        let all = [by_threads, by_registers, by_shared].map(|by| by(&resources(), needs));
        assert!(all.iter().all(|curve| curve.now_warps == 64 && curve.tip.is_none()), "{all:?}");
    }

    #[test]
    fn steps_of_shared_memory_count_the_drivers_own() {
        let needs = BlockNeeds { threads: 128, registers: 32, shared: 48 << 10 };
        let curve = by_shared(&resources(), needs);
        assert_eq!(curve.now_blocks, 4);
        let tip = curve.tip.expect("fewer bytes let more run");
        let less: u32 = tip.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
        let blocks = |shared| occupancy(&resources(), BlockNeeds { shared, ..needs }).active_blocks;
        assert_eq!((blocks(needs.shared - less), blocks(needs.shared - less + 1)), (5, 4));
        let step = curve.points.iter().find(|point| point.blocks == 4).expect("today's step");
        assert_eq!(step.x, needs.shared - less + 1);
    }

    #[test]
    fn a_better_block_size_is_named() {
        let needs = BlockNeeds { threads: 672, registers: 32, shared: 0 };
        let curve = by_threads(&resources(), needs);
        assert_eq!(curve.now_warps, 63);
        assert_eq!(curve.tip.as_deref(), Some("Blocks of 512 threads run 64 of 64 warps per SM"));
    }
}
