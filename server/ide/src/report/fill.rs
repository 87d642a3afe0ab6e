//! The report of a document, from its models.

use super::{
    BottleneckReport, ControlReport, DependsOnReport, InstructionReport, KernelReport, LatencyReport,
    MemoryReport, OccupancyReport, Report, Resources,
};
use crate::analysis::Analysis;
use crate::kernel::{Answer, KernelModel};
use crate::launch::{launches, stated_by};
use crate::lenses::limiter_name;
use machine::MemorySpace;
use model::{DependsOn, KernelTiming, LatencyKind, Launch, Memory, ModelName, Register, RegisterFile};
use syntax::sass::{Chunk, Control, TokenKind};

const SCHEMA: u32 = 1;

pub(crate) fn of(analysis: &Analysis) -> Answer<Report> {
    let mut kernels = Vec::new();
    let mut gpus: Vec<String> = Vec::new();
    for (index, chunk) in analysis.kernels() {
        analysis.cancel.check()?;
        let target = analysis.target(chunk);
        let model = analysis.model(chunk, &target);
        if !gpus.contains(&target.gpu.part.name) {
            gpus.push(target.gpu.part.name.clone());
        }
        let first_line = analysis.listing().start(index).line;
        let instructions: Vec<InstructionReport> = (0..chunk.instructions().len())
            .map(|inst| instruction(chunk, &model, inst, first_line))
            .collect();
        for (launch, times) in launches(analysis, chunk, &model, &target) {
            let arch = chunk.sm().map_or_else(|| format!("sm_{}", target.isa_sm), |sm| sm.to_string());
            let mut report = kernel(chunk, &launch, &times, arch);
            report.notes.insert(0, format!("GPU: {}", target.describe()));
            report.instructions.clone_from(&instructions);
            kernels.push(report);
        }
    }
    Ok(Report { schema: SCHEMA, gpu: gpus.join(", "), model: ModelName::Paper.name().to_owned(), kernels })
}

fn kernel(chunk: &Chunk, launch: &Launch, times: &KernelTiming, arch: String) -> KernelReport {
    let occupancy = &times.occupancy;
    KernelReport {
        name: chunk.name().unwrap_or("kernel").to_owned(),
        launch: launch.name.clone(),
        arch,
        resources: Resources {
            registers: launch.registers.value,
            registers_source: stated_by(launch.registers.by),
            shared: launch.shared.value,
            shared_source: stated_by(launch.shared.by),
            grid: launch.grid,
            block: launch.block,
            launch_assumed: launch.assumed,
        },
        occupancy: OccupancyReport {
            active_blocks: occupancy.active_blocks,
            active_warps: occupancy.active_warps,
            max_warps: occupancy.max_warps,
            fraction: occupancy.fraction(),
            limiter: limiter_name(occupancy.limiter).to_owned(),
        },
        cycles: times.cycles,
        sp_efficiency: times.sp_efficiency,
        ipc: times.ipc,
        bottlenecks: BottleneckReport {
            ilp: times.bottlenecks.ilp,
            comp: times.bottlenecks.comp,
            mem: times.bottlenecks.mem,
            pipe: times.bottlenecks.pipe,
        },
        stalls: None,
        notes: times.notes.clone(),
        instructions: Vec::new(),
    }
}

fn instruction(chunk: &Chunk, model: &KernelModel, index: usize, first_line: u32) -> InstructionReport {
    let text = &chunk.instructions()[index];
    let inst = &model.program.instructions[index];
    let times = &model.times.instructions[index];
    let opcode =
        std::iter::once(chunk.mnemonic(text)).chain(chunk.modifiers(text)).collect::<Vec<_>>().join(".");
    let depends_on = model.times.depends_on(index);
    InstructionReport {
        address: inst.address,
        line: first_line + text.line + 1,
        text: printed(chunk, index),
        opcode,
        pipe: inst.class.map(|class| model.program.arch.pipe_of(class).name.clone()),
        control: inst.control.as_ref().map(control),
        efficiency: times.efficiency,
        latency: model.latency_note(index).map(|note| LatencyReport {
            cycles: note.cycles,
            kind: kind_name(note.kind),
            source: note.source.to_string(),
        }),
        issue_cycle: times.issue_cycle,
        stall: None,
        depends_on: depends_on.iter().map(|dependence| dependence_report(model, dependence)).collect(),
        memory: inst.memory.map(memory),
    }
}

/// An instruction as the text has it, from the guard to the last operand.
pub(crate) fn printed(chunk: &Chunk, index: usize) -> String {
    let instruction = &chunk.instructions()[index];
    let line = chunk.line_text(instruction.line as usize);
    let tokens = chunk.tokens(instruction.tokens);
    match (tokens.first(), tokens.iter().rev().find(|token| token.kind != TokenKind::Error)) {
        (Some(first), Some(last)) => line[first.start as usize..last.end().max(first.end())].to_owned(),
        _ => String::new(),
    }
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
    }
}

fn dependence_report(model: &KernelModel, dependence: &DependsOn) -> DependsOnReport {
    DependsOnReport {
        address: model.program.instructions[dependence.on as usize].address,
        resource: register_name(dependence.register),
        kind: kind_name(dependence.latency_kind),
        cycles: dependence.cycles,
    }
}

/// As the text writes it; a register that only an assembler names has no name here but its number.
pub(crate) fn register_name(register: Register) -> String {
    let prefix = match register.file {
        RegisterFile::General => "R",
        RegisterFile::Uniform => "UR",
        RegisterFile::Predicate => "P",
        RegisterFile::UniformPredicate => "UP",
        RegisterFile::ConditionCode => return "CC".to_owned(),
        RegisterFile::Barrier => "B",
        RegisterFile::Named => "name #",
    };
    format!("{prefix}{}", register.index)
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
        known: false,
    }
}

pub(crate) const fn space_name(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Shared => "shared",
        MemorySpace::Global => "global",
        MemorySpace::Local => "local",
        MemorySpace::Constant => "constant",
        MemorySpace::Generic => "generic",
        MemorySpace::Texture => "texture",
        MemorySpace::Surface => "surface",
        MemorySpace::Tensor => "tensor",
    }
}
