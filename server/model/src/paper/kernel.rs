//! Timing of a launch.

use super::counts::{BlockCounts, counts};
use super::interleave::{block_cycles, interleave};
use super::occupancy::occupancy;
use super::waves::{block_iterations, kernel_cycles};
use super::{CodeTimes, bottleneck};
use crate::{Bottlenecks, KernelTiming, Launch, Occupancy, OccupancyLimiter, Program};
use machine::{Arch, FunctionUnit, Gpu};

/// Applies Equations 9 to 21 to a launch.
pub fn kernel_times(program: &Program, code: &CodeTimes, gpu: &Gpu, launch: &Launch) -> KernelTiming {
    let resources = &gpu.arch.resources;
    let occupancy = occupancy(resources, launch.block_needs());
    let counts = counts(program, &launch.trips);
    let warp = WarpTimes::sum(code, &counts);
    let interleave = interleave(occupancy.active_warps, resources.schedulers.value);
    let notes = notes(program, &counts, &occupancy, launch);
    // C_b: the cycles in which an SM completes its active blocks.
    let busy = block_cycles(warp.cycles, interleave);
    let iterations = block_iterations(launch.blocks(), occupancy.active_blocks, gpu.part.sm_count.value);
    let cycles = iterations
        .filter(|_| counts.unknown_loops.is_empty() && !program.instructions.is_empty())
        .map(|iterations| kernel_cycles(busy, iterations));
    let per_cycle = |of_a_warp: f64| {
        (busy > 0.0 && occupancy.active_warps > 0)
            .then(|| of_a_warp * f64::from(occupancy.active_warps) / busy)
    };
    KernelTiming {
        cycles,
        notes,
        sp_efficiency: per_cycle(warp.single_precision).and_then(|rate| lanes_busy(&gpu.arch, rate)),
        ipc: per_cycle(warp.instructions),
        bottlenecks: Bottlenecks {
            ilp: bottleneck::ilp(warp.unit_cycles, warp.dispatch),
            comp: bottleneck::comp(warp.compute_lanes[0], warp.compute_lanes[1]),
            mem: bottleneck::mem(warp.memory_bytes[0], warp.memory_bytes[1]),
            pipe: bottleneck::pipe(warp.latency, warp.dispatch, interleave),
        },
        occupancy,
    }
}

/// One warp's path through the kernel: the sums of its blocks, each multiplied by the block's execution
/// count.
#[derive(Debug, Default)]
struct WarpTimes {
    /// The paper's C_w: cycles of one warp.
    cycles: f64,
    /// The paper's C_weff: cycles without latencies.
    dispatch: f64,
    latency: f64,
    instructions: f64,
    single_precision: f64,
    compute_lanes: [f64; 2],
    memory_bytes: [f64; 2],
    /// The paper's C_wu, by kind of unit.
    unit_cycles: Vec<f64>,
}

impl WarpTimes {
    fn sum(code: &CodeTimes, counts: &BlockCounts) -> Self {
        let units = code.unit_cycles.len().checked_div(code.blocks.len()).unwrap_or(0);
        let mut warp = Self { unit_cycles: vec![0.0; units], ..Self::default() };
        for (index, (block, &count)) in code.blocks.iter().zip(&counts.of_blocks).enumerate() {
            warp.cycles += count * f64::from(block.cycles);
            warp.dispatch += count * f64::from(block.dispatch);
            warp.latency += count * f64::from(block.latency);
            warp.instructions += count * f64::from(block.instructions);
            warp.single_precision += count * f64::from(block.single_precision);
            for part in 0..2 {
                warp.compute_lanes[part] += count * block.compute_lanes[part];
                warp.memory_bytes[part] += count * block.memory_bytes[part];
            }
            for (sum, &cycles) in warp.unit_cycles.iter_mut().zip(&code.unit_cycles[index * units..]) {
                *sum += count * f64::from(cycles);
            }
        }
        warp
    }
}

/// Returns the busy share of the SM's single-precision lanes, given single-precision warp instructions per cycle.
/// `None` if the architecture has no such lanes.
fn lanes_busy(arch: &Arch, instructions_per_cycle: f64) -> Option<f64> {
    let lanes = arch.unit(FunctionUnit::Sp)?.lanes.value;
    let warps = f64::from(lanes) / f64::from(arch.resources.warp_size);
    (warps > 0.0).then(|| (instructions_per_cycle / warps).min(1.0))
}

/// Maximum number of loops with unknown trip counts that a note lists.
const MAX_NAMED: usize = 4; // limit: length of a note

fn notes(program: &Program, counts: &BlockCounts, occupancy: &Occupancy, launch: &Launch) -> Vec<String> {
    let mut notes = Vec::new();
    if !counts.unknown_loops.is_empty() {
        let address = |&branch: &u32| format!("{:#06x}", program.instructions[branch as usize].address);
        let count = counts.unknown_loops.len();
        let mut places: Vec<String> = counts.unknown_loops.iter().take(MAX_NAMED).map(address).collect();
        if let Some(rest) = count.checked_sub(MAX_NAMED).filter(|rest| *rest > 0) {
            places.push(format!("{rest} more places"));
        }
        let (s, are) = if count == 1 { ("", "is") } else { ("s", "are") };
        notes.push(format!(
            "The trip count{s} of the loop{s} ending at {} {are} unknown. One iteration per loop is assumed, and the total cycles \
             are unknown. Set `trips` in warplens.toml.",
            places.join(", ")
        ));
    }
    if counts.has_forward_branches {
        notes.push("Every warp is assumed to execute both sides of each forward branch.".into());
    }
    if occupancy.limiter == OccupancyLimiter::Impossible {
        notes.push(format!(
            "The block does not fit on an SM: {} threads, {} registers per thread, {} bytes of shared memory.",
            launch.threads_per_block(),
            launch.registers.value,
            launch.shared.value
        ));
    }
    notes
}
