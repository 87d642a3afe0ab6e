//! Order of a function's instructions: the fastest one, or one that needs fewer registers so that more warps run.

use super::allocation::{Allocation, VirtualRegisters, allocate};
use super::graph::Graph;
use crate::dataflow::Liveness;
use crate::paper::occupancy::{BlockNeeds, occupancy};
use crate::schedule::{self, Arrangement};
use crate::{Chunk, Program};
use machine::{Arch, ClassId, InOrder};

/// Maximum number of instructions in a section within which the scheduler moves instructions. Source: a guess; the limit
/// of ptxas is not public.
const MAX_MOVED: u32 = 96;

/// Iterations that are assumed for each loop around a block. Source: a guess, as compilers make it.
const ITERATIONS: f64 = 8.0;

/// Numbers by which the limit of live registers is lowered until the allocation reaches its target. Registers that
/// vectors leave free are not live.
const MARGINS: [u32; 4] = [0, 2, 4, 8]; // limit: each costs another run of the scheduler

/// The instructions to order, with virtual registers.
pub(super) struct Unordered<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// Alternative class of each instruction; `None` if there is no alternative.
    pub others: &'a [Option<ClassId>],
    /// Minimum cycles between successive instructions of each queue.
    pub spacing: &'a [(InOrder, u32)],
    pub names: &'a VirtualRegisters,
    /// Number of registers of each web.
    pub words: &'a [u8],
}

/// An order with its registers.
struct Candidate {
    arrangement: Arrangement,
    registers: Allocation,
    /// Estimated cycles of one warp, in arbitrary units.
    cycles: f64,
    /// Number of warps for which a sub-core has registers.
    warps: u32,
}

/// Returns an order of the instructions and the allocation of its registers.
///
/// If the source order needs so few registers that more warps can run than with the fastest order, orders with fewer live
/// registers are tried. One of them is chosen if it costs less time than the additional warps save.
pub(super) fn arrange(code: &Unordered<'_>, graph: &Graph, arch: &Arch) -> (Arrangement, Allocation) {
    let source: Vec<u32> = (0..code.program.instructions.len() as u32).collect();
    let needed = allocate(code.program, &source, code.names, code.words).count;
    let target = warps(arch, needed);
    let fastest = ordered(code, None, false);
    if warps(arch, fastest.1.count) >= target {
        return fastest;
    }
    let mut best = Candidate::new(ordered(code, None, true), graph, arch);
    let liveness = Liveness::compute(code.program, &arch.isa);
    let fitting = (needed..best.registers.count).take_while(|&count| warps(arch, count) >= target);
    let limit = fitting.last().unwrap_or(needed);
    for margin in MARGINS {
        let limit = Some((&liveness, limit.saturating_sub(margin)));
        let other = Candidate::new(ordered(code, limit, true), graph, arch);
        if other.cycles * f64::from(best.warps) < best.cycles * f64::from(other.warps) {
            best = other;
        }
        if best.warps >= target {
            break;
        }
    }
    (best.arrangement, best.registers)
}

/// Returns the scheduler's order, under a limit of live registers if there is one, and its registers.
fn ordered(
    code: &Unordered<'_>,
    limit: Option<(&Liveness, u32)>,
    is_timed: bool,
) -> (Arrangement, Allocation) {
    let (others, spacing) = (code.others, code.spacing);
    let sections = schedule::Sections { others, spacing, most: MAX_MOVED, limit, is_timed };
    let arrangement = schedule::arrange(code.chunk, code.program, &sections);
    let registers = allocate(code.program, &arrangement.order, code.names, code.words);
    (arrangement, registers)
}

impl Candidate {
    fn new((arrangement, registers): (Arrangement, Allocation), graph: &Graph, arch: &Arch) -> Self {
        let weight = |block: u32| ITERATIONS.powi(graph.loops.depth(block) as i32);
        let blocks = arrangement.cycles.iter().zip(0..);
        let cycles = blocks.map(|(&cycles, block)| cycles as f64 * weight(block)).sum();
        let warps = warps(arch, registers.count);
        Self { arrangement, registers, cycles, warps }
    }
}

/// Returns the number of warps with this many registers per thread that a sub-core can run.
fn warps(arch: &Arch, registers: u32) -> u32 {
    let threads = arch.resources.sub_partitions.value * arch.resources.warp_size;
    occupancy(&arch.resources, BlockNeeds { threads, registers, shared: 0 }).active_blocks
}
