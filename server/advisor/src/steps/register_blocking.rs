//! RB, register blocking: keeps more results of a matrix product in registers, so that each loaded word is
//! used more often.
//!
//! Equation 22: a block of r x r results performs 2 r r operations on 4 (r + r) bytes. Larger blocks hide
//! latencies with computation, but their registers leave space for fewer warps. The step compares the two
//! effects by Equation 21. Its occupancy limit comes from "SGEMM Characterization on NVIDIA GPUs using
//! Profiling Metrics for Autonomous Driving", in which more values per thread were faster until occupancy
//! fell below 25 %.

use super::{Bottleneck, Change, KernelAtLaunch, Step, StepContext, StepName};
use model::launch::Stated;
use model::{Bottlenecks, Launch, MemorySpace, Occupancy};
use std::collections::BTreeSet;
use std::ops::Range;

/// Number of words per vector. Rows and columns of a block are loaded in complete vectors (section 4.1.2).
const VECTOR: u32 = 4; // Source: the paper, section 4.1.2
/// Largest side of a block whose results fit in a thread's registers.
const MAX_SIDE: u32 = 16; // limit: registers of a thread
/// Occupancy below which more values per thread were slower in the paper on SGEMM.
const MIN_OCCUPANCY: f64 = 0.25; // Source: the paper

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    let subject = scene.subject;
    if !scene.is_significant(Bottleneck::Pipe) || subject.launch.assumed {
        return None;
    }
    let core = MainLoop::find(subject)?;
    let pipe = scene.before.pipe?;
    let most = subject.gpu.arch.resources.max_registers_per_thread.value;
    let now = subject.launch.registers;
    let occupancy = subject.run(subject.program, subject.launch).occupancy;
    let larger = |side: u32| {
        // Registers for the results, and for a row and a column of the matrices.
        let registers = now.value + side * side + 2 * side - core.side * core.side - 2 * core.side;
        let launch = Launch { registers: Stated { value: registers, by: now.by }, ..subject.launch.clone() };
        let held = subject.run(subject.program, &launch).occupancy;
        let warps = held.active_warps;
        let more_work = f64::from(side * side) / f64::from(core.side * core.side);
        let fewer_warps = f64::from(warps) / f64::from(occupancy.active_warps.max(1));
        let is_possible = registers <= most && warps > 0 && !leaves_too_few(&occupancy, &held);
        is_possible.then(|| (pipe / (more_work * fewer_warps), registers, held.fraction()))
    };
    // The block grows by one vector per side. A larger step would result in a different kernel.
    let side = (core.side / VECTOR + 1) * VECTOR;
    let (after, registers, held) = larger(side)?;
    let after = Bottlenecks { pipe: Some(after.min(1.0)), ..*scene.before };
    let lowers = scene.lowered(&[Bottleneck::Pipe], &after);
    if lowers.is_empty() {
        return None;
    }
    Some(Step {
        name: StepName::RegisterBlocking,
        lowers,
        message: format!(
            "a thread computes a tile of about {0} x {0} results ({1:.1} operations per byte, Equation 22). A tile \
             of {side} x {side} results would reach {2:.1} operations per byte, with about {registers} registers and \
             {3:.0} % occupancy instead of {4:.0} %",
            core.side,
            intensity(core.side),
            intensity(side),
            100.0 * held,
            100.0 * occupancy.fraction()
        ),
        instructions: core.loads,
        after: Some(after),
        change: Change::Reader,
    })
}

/// True if fewer warps than before are active and occupancy is below the limit for more values per thread.
pub(super) fn leaves_too_few(before: &Occupancy, after: &Occupancy) -> bool {
    after.active_warps < before.active_warps && after.fraction() < MIN_OCCUPANCY
}

/// Operations per byte of a square block, by Equation 22.
fn intensity(side: u32) -> f64 {
    f64::from(2 * side * side) / f64::from(4 * 2 * side)
}

/// The loop with the most multiply-adds.
struct MainLoop {
    /// Side of the block of results. Each loaded word is used for this number of results.
    side: u32,
    /// The loads from shared memory in the loop.
    loads: Vec<u32>,
}

impl MainLoop {
    /// Returns the loop with the most multiply-adds; `None` if the loop is not an outer product. An outer
    /// product consists mainly of multiply-adds to its own registers, and uses each word from shared memory
    /// `side` times.
    fn find(subject: &KernelAtLaunch<'_>) -> Option<Self> {
        let program = subject.program;
        let adds_up = |inst: &u32| {
            let decoded = &program.instructions[*inst as usize];
            let is_sum =
                |sum: &model::Access| program.reads(decoded).iter().any(|read| read.register == sum.register);
            subject.mnemonic(*inst) == "FFMA" && program.writes(decoded).iter().all(is_sum)
        };
        let multiply_adds = |range: &Range<u32>| range.clone().filter(adds_up).count() as u32;
        let loops = program.blocks.iter().zip(0_u32..);
        let loops = loops.filter(|(_, index)| program.flow.successors(*index).contains(index));
        let core = loops.map(|(block, _)| block.instructions.clone()).max_by_key(multiply_adds)?;
        let shared = |inst: &u32| {
            let memory = program.instructions[*inst as usize].memory;
            memory.is_some_and(|memory| memory.space == MemorySpace::Shared && memory.loads)
        };
        let loads: Vec<u32> = core.clone().filter(shared).collect();
        let words: u32 = loads
            .iter()
            .filter_map(|&inst| program.instructions[inst as usize].memory)
            .map(|memory| u32::from(memory.bytes_per_lane) / 4)
            .sum();
        let sums: BTreeSet<_> = core
            .clone()
            .filter(adds_up)
            .flat_map(|inst| program.writes(&program.instructions[inst as usize]))
            .map(|access| access.register)
            .collect();
        let multiply_adds = multiply_adds(&core);
        let side = (2 * multiply_adds).checked_div(words)?;
        if !(2..=MAX_SIDE).contains(&side) {
            return None;
        }
        // A block's results are `side` times `side`.
        let is_block = sums.len() as u32 * 2 >= side * side && 2 * multiply_adds >= core.len() as u32;
        is_block.then_some(Self { side, loads })
    }
}
