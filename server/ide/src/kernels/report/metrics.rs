//! Profiler metrics of a launch that can be derived from the code.

use crate::engine::kernel_view::KernelView;
use crate::kernels::integers::executed_and_integers;
use crate::kernels::loops;
use machine::{Arch, Flow, MemorySpace};
use model::execution::{Counts, Survey};
use model::{Inst, Launch};
use serde::Serialize;

/// Counts and efficiencies of a launch, estimated from a sample of its warps. Registers and occupancy
/// are in `KernelReport`.
///
/// A metric is null if a simulated warp was cut off, or if the metric depends on the contents of
/// memory.
#[derive(Debug, Clone, Serialize)]
pub struct MetricsReport {
    /// Number of instructions executed by all warps: nvprof's `inst_executed`.
    pub instructions: Option<f64>,
    /// Number of executed global-memory loads with at least one active lane:
    /// `inst_executed_global_loads`.
    pub global_loads: Option<f64>,
    /// Number of executed shared-memory loads with at least one active lane:
    /// `inst_executed_shared_loads`.
    pub shared_loads: Option<f64>,
    /// Fraction of the wavefronts' capacity used by the bytes requested from shared memory: ncu's
    /// `smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct`. Bytes requested by several lanes count once. Null
    /// if there are no requests.
    pub shared_efficiency: Option<f64>,
    /// Average fraction of a warp's lanes that reach an instruction: nvprof's `warp_execution_efficiency`.
    pub warp_execution_efficiency: Option<f64>,
    /// Fraction of the executed conditional jumps at which lanes diverge: 1 minus nvprof's `branch_efficiency`.
    pub branch_divergence: Option<f64>,
    /// Fraction of the executed instructions that are integer instructions: indices, addresses,
    /// counters and comparisons of integers, in general or uniform registers.
    pub integer_share: Option<f64>,
    /// Integer fraction in each loop that a warp reaches. Inner and outer loops are listed in text
    /// order.
    pub loops: Vec<LoopReport>,
}

/// A loop of a launch, from its first instruction to the backward branch.
#[derive(Debug, Clone, Serialize)]
pub struct LoopReport {
    pub address: u32,
    pub branch_address: u32,
    /// Line of the first instruction, 1-based.
    pub line: u32,
    /// Instructions executed per warp in all iterations.
    pub executed: f64,
    /// Fraction of `executed` that are integer instructions.
    pub integer_share: f64,
}

impl MetricsReport {
    /// Returns the metrics of a stated launch; `None` for an assumed launch, whose size is a guess.
    pub(super) fn of_launch(kernel: &KernelView<'_>, launch: &Launch, survey: &Survey) -> Option<Self> {
        let is_whole = !survey.is_cut && survey.guessed_trips.is_empty();
        let counts = if is_whole { survey.counts.as_slice() } else { &[] };
        let program = &kernel.model.program;
        let sum = |of: &dyn Fn(&Inst, &Counts) -> f64| -> f64 {
            program.instructions.iter().zip(counts).map(|(inst, counts)| of(inst, counts)).sum()
        };
        let executed = sum(&|_, counts| counts.executed);
        let times = |inst: u32| counts.get(inst as usize).map_or(0.0, |counts| counts.executed);
        let last = counts.len().saturating_sub(1) as u32;
        let (_, integers) = executed_and_integers(kernel, 0..=last, &times);
        let of_launch = |per_warp: f64| (executed > 0.0).then_some(per_warp * survey.all_warps as f64);
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let loads = |space| {
            let found = survey.uses.iter().filter(|(inst, found)| {
                let memory = program.instructions[**inst as usize].memory;
                found.space == space && memory.is_some_and(|memory| memory.loads)
            });
            of_launch(found.fold(0.0, |sum, (inst, found)| sum + times(*inst) * found.on))
        };
        let is_conditional =
            |inst: &Inst| inst.guard.is_some() && matches!(inst.flow, Flow::Branch | Flow::Exit);
        let jumps = |of: fn(&Counts) -> f64| {
            sum(&|inst, counts| if is_conditional(inst) { counts.executed * of(counts) } else { 0.0 })
        };
        let warp = f64::from(program.arch.resources.warp_size);
        (!launch.assumed).then(|| Self {
            instructions: of_launch(executed),
            global_loads: loads(MemorySpace::Global),
            shared_loads: loads(MemorySpace::Shared),
            shared_efficiency: shared_efficiency(&program.arch, counts, survey),
            warp_execution_efficiency: share(
                sum(&|_, counts| counts.executed * counts.present),
                warp * executed,
            ),
            branch_divergence: share(jumps(|counts| counts.parted), jumps(|_| 1.0)),
            integer_share: share(integers, executed),
            loops: loops(kernel, counts),
        })
    }
}

/// Reports the loops that a warp reaches.
fn loops(kernel: &KernelView<'_>, counts: &[Counts]) -> Vec<LoopReport> {
    let times = |inst: u32| counts.get(inst as usize).map_or(0.0, |counts| counts.executed);
    let address = |inst: u32| kernel.program().instructions[inst as usize].address;
    let loops = loops::loops(kernel.program()).filter_map(|(start, end)| {
        let (executed, integers) = executed_and_integers(kernel, start..=end, &times);
        (executed > 0.0).then(|| LoopReport {
            address: address(start),
            branch_address: address(end),
            line: kernel.line_of(start),
            executed,
            integer_share: integers / executed,
        })
    });
    loops.collect()
}

/// Returns the fraction of the wavefronts' capacity used by the bytes requested from shared memory.
/// `None` if no wavefront is executed, or if the cost of an executed access is unknown.
fn shared_efficiency(arch: &Arch, counts: &[Counts], survey: &Survey) -> Option<f64> {
    let resources = &arch.resources;
    let row = f64::from(resources.shared_banks.value * resources.shared_bank_width.value);
    let (mut bytes, mut wavefronts) = (0.0, 0.0);
    for (inst, found) in survey.uses.iter().filter(|(_, found)| found.space == MemorySpace::Shared) {
        let executed = counts.get(*inst as usize)?.executed;
        if executed > 0.0 && !found.known {
            return None;
        }
        bytes += executed * found.bytes;
        wavefronts += executed * found.wavefronts;
    }
    (wavefronts > 0.0).then(|| bytes / (wavefronts * row))
}
