//! Fills the report of a document from its models.

use super::predicted::{self, SimulationSelection};
use super::resources::{occupancy_report, resources_report};
use super::{
    ControlReport, DependsOnReport, InstructionReport, KernelReport, LatencyReport, LiveReport, MemoryReport,
    StallReport, advice,
};
use crate::engine::cancel::Cancellable;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel::KernelModel;
use crate::engine::kernel_view::KernelView;
use crate::engine::lowered::ESTIMATED;
use crate::engine::names;
use crate::kernels::launch::{doubtful_widths, launches};
use crate::kernels::places::printed;
use crate::kernels::predict::PredictionInputs;
use crate::words::control_words::kepler_notation;
use crate::words::kind_names::space_name;
use machine::MemorySpace;
use model::dataflow::LiveCounts;
use model::execution::MemoryUse;
use model::pipeline::Stall;
use model::{DependsOn, LatencyKind, Memory, ModelName};
use syntax::sass::{Chunk, Control, Token, TokenKind};

/// Reports one kernel at each of its launches, without instructions.
pub(crate) fn of_kernel(kernel: &KernelView<'_>) -> Cancellable<Vec<KernelReport>> {
    let launches = launches(kernel).into_iter().enumerate();
    let at = |(number, (launch, times))| {
        at_launch(
            &PredictionInputs { kernel, launch: &launch, number, times: &times },
            SimulationSelection::for_one(),
        )
    };
    launches.map(at).collect()
}

/// Reports one kernel at one of its launches, without instructions.
pub(super) fn at_launch(
    question: &PredictionInputs<'_>,
    effort: SimulationSelection,
) -> Cancellable<KernelReport> {
    let PredictionInputs { kernel, number, .. } = *question;
    let mut report = report(question);
    predicted::tell(question, effort, &mut report)?;
    let doubtful = doubtful_widths(kernel, number);
    if !doubtful.is_empty() {
        let names: Vec<String> = doubtful.iter().map(|at| format!("arg{at}")).collect();
        report.notes.push(format!(
            "The sizes of {} (4 or 8 bytes) are guesses: state their words in the launch's `const`.",
            names.join(", ")
        ));
    }
    if let Some(source) = kernel.source() {
        let doubts = source.cost.doubts();
        report.notes.insert(
            0,
            format!(
                "All figures are {ESTIMATED}, for the SASS that ptxas is expected to \
                                generate.{doubts}"
            ),
        );
    }
    Ok(report)
}

fn report(question: &PredictionInputs<'_>) -> KernelReport {
    let PredictionInputs { kernel, launch, times, .. } = *question;
    let KernelView { sass, chunk, target, model, .. } = kernel;
    // For PTX, the module's target is the architecture.
    let named = chunk.sm().filter(|_| sass.origin.is_none());
    KernelReport {
        name: names::kernel_name(chunk).to_owned(),
        demangled: names::demangle(names::kernel_name(chunk)),
        launch: launch.name.clone(),
        arch: named.map_or_else(|| format!("sm_{}", target.isa_sm), |sm| sm.to_string()),
        resources: resources_report(kernel, launch),
        occupancy: occupancy_report(&times.occupancy),
        cycles: times.cycles,
        low: None,
        high: None,
        not_timed: None,
        endless_wait: None,
        cycles_in_words: String::new(),
        to_state: None,
        quick: false,
        cycles_model: ModelName::Paper.name(),
        sp_efficiency: times.sp_efficiency,
        ipc: times.ipc,
        bottlenecks: advice::all_four(times.bottlenecks),
        advice: None,
        max_live: live(model.liveness().max()),
        stalls: None,
        metrics: None,
        notes: times.notes.clone(),
        is_left_out: false,
        instruction_count: chunk.instructions().len(),
        instructions: Vec::new(),
        lines: None,
    }
}

pub(super) fn instruction(
    kernel: &KernelView<'_>,
    issues: Option<&Issues>,
    index: usize,
) -> InstructionReport {
    let KernelView { chunk, model, .. } = kernel;
    let issue = issues.map(|issues| issues.issue(index));
    let text = kernel.text(index);
    let inst = &model.program.instructions[index];
    let times = &model.times.instructions[index];
    let opcode =
        std::iter::once(chunk.mnemonic(text)).chain(chunk.modifiers(text)).collect::<Vec<_>>().join(".");
    let depends_on = model.times.depends_on(index);
    InstructionReport {
        address: inst.address,
        address_printed: text.address.is_some(),
        line: kernel.first_line() + text.line + 1,
        text: printed(chunk, index),
        opcode,
        pipe: inst.class.map(|class| model.program.arch.pipe_of(class).name.clone()),
        control: inst.control.as_ref().map(control),
        efficiency: Some(times.efficiency),
        latency: model.latency_note(index).map(|note| LatencyReport {
            cycles: note.cycles,
            kind: kind_name(note.kind),
            source: note.source.to_string(),
        }),
        issue_cycle: Some(issue.map_or(times.issue_cycle, |issue| issue.cycle)),
        starts_block: None,
        stall: issue.map(|issue| stall(model, issue.stall)),
        depends_on: depends_on.iter().map(|dependence| dependence_report(model, dependence)).collect(),
        executed: None,
        lanes: None,
        memory: inst.memory.map(memory),
        live: Some(live(model.liveness().counts(index))),
        sass: None,
    }
}

const fn live(counts: LiveCounts) -> LiveReport {
    let LiveCounts { general, predicate, uniform, uniform_predicate } = counts;
    LiveReport { gpr: general, predicate, uniform, uniform_predicate }
}

fn control(control: &Control) -> ControlReport {
    let bits = |mask: u8| (0..8).filter(|bit| mask >> bit & 1 == 1).collect();
    ControlReport {
        stall: control.stall,
        yields: control.yields,
        write_barrier: control.write_barrier,
        read_barrier: control.read_barrier,
        wait: bits(control.wait_mask),
        reuse: bits(control.reuse_mask),
        dual: control.dual,
        kepler: control.kepler.map(kepler_notation),
    }
}

fn stall(model: &KernelModel, stall: Stall) -> StallReport {
    let stalls = stall.cycles > 0;
    StallReport {
        cycles: stall.cycles.try_into().unwrap_or(u32::MAX),
        reason: stalls.then(|| stall.reason.name()),
        on_line: None,
        on_address: stall.on.filter(|_| stalls).map(|on| model.program.instructions[on as usize].address),
    }
}

fn dependence_report(model: &KernelModel, dependence: &DependsOn) -> DependsOnReport {
    DependsOnReport {
        address: model.program.instructions[dependence.on as usize].address,
        resource: model.program.register_name(dependence.register),
        kind: kind_name(dependence.latency_kind),
        line: None,
        cycles: dependence.cycles,
    }
}

const fn kind_name(kind: LatencyKind) -> &'static str {
    match kind {
        LatencyKind::Fixed => "fixed",
        LatencyKind::Variable => "variable",
        LatencyKind::Unknown => "unknown",
    }
}

fn memory(memory: Memory) -> MemoryReport {
    MemoryReport {
        space: space_name(memory.space),
        bytes_per_lane: memory.bytes_per_lane,
        wavefronts: None,
        wavefronts_ideal: None,
        sectors: None,
        sectors_ideal: None,
        known: Some(false),
        executed: None,
    }
}

/// Adds the cost of an access's requests from the survey of a launch. `executed` is the number of
/// executions per warp.
pub(super) fn state(memory: &mut MemoryReport, found: &MemoryUse, executed: Option<f64>) {
    memory.executed = executed.map(|times| times * found.on);
    memory.known = Some(found.known);
    if !found.known || found.on <= 0.0 || found.space == MemorySpace::Local {
        return;
    }
    if matches!(found.space, MemorySpace::Shared) || found.wavefronts > 0.0 {
        memory.wavefronts = Some(found.wavefronts);
        memory.wavefronts_ideal = Some(found.wavefronts_ideal);
    }
    if matches!(found.space, MemorySpace::Global | MemorySpace::Generic) {
        memory.sectors = Some(found.sectors);
        memory.sectors_ideal = Some(found.sectors_ideal);
    }
}

/// True if accesses to the memory space are simulated with their addresses.
pub(super) fn is_followed(space: &str) -> bool {
    [MemorySpace::Shared, MemorySpace::Global, MemorySpace::Generic, MemorySpace::Local]
        .into_iter()
        .any(|followed| space_name(followed) == space)
}

/// True if a load's constant-bank operand has a fixed address, that is, contains no register.
pub(super) fn is_constant(chunk: &Chunk, index: usize) -> bool {
    let operands = chunk.operands(&chunk.instructions()[index]);
    let mut constants =
        operands.filter(|operand| operand.iter().any(|token| token.kind == TokenKind::ConstantBank));
    let is_register = |token: &Token| {
        matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister) && !token.is_zero_register()
    };
    constants.next().is_some_and(|operand| !operand.iter().any(is_register))
}
