//! Instruction costs, summed per source line.

use crate::engine::cancel::Cancellable;
use crate::engine::code::{SourcePlace, Stack};
use crate::engine::kernel_view::KernelView;
use crate::engine::names::kernel_name;
use crate::kernels::heat::Shares;
use crate::kernels::source_places::stacks;
use model::Launch;
use model::pipeline::Budget;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cost of one source line in one kernel, from the compiled code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineCost {
    /// Path of the source file as written by the compiler.
    pub file: String,
    /// Line number, 1-based.
    pub line: u32,
    /// Number of SASS instructions compiled from the line.
    pub instructions: u32,
    /// Average number of executions of these instructions per warp; null if the warps' control flow is
    /// unknown.
    pub issue_slots: Option<f64>,
    /// Cycles for which a single warp stalls before these instructions, over the same executions, with
    /// warm caches. Null if `issue_slots` is null, or if the `pipeline` model does not apply.
    pub stall_cycles: Option<f64>,
    /// Fraction of the time of all warps of the launch that the line takes, 0 to 1; null if the launch
    /// is not predicted.
    pub share: Option<f64>,
}

/// Cost of one instruction, per warp of a launch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InstructionCost {
    /// Number of executions; `None` if unknown.
    pub issues: Option<f64>,
    /// Stall cycles before each issue; `None` if the `pipeline` model does not apply.
    pub stall: Option<f64>,
}

/// Returns the cost of each instruction of a kernel at a launch.
pub(crate) fn of_instructions(kernel: &KernelView<'_>, launch: &Launch) -> Vec<InstructionCost> {
    let survey = if launch.assumed {
        kernel.model.guessed_survey(kernel.chunk, launch)
    } else {
        kernel.model.survey(kernel.chunk, launch)
    };
    let issues = kernel.issues();
    let count = kernel.chunk.instructions().len();
    let cost = |index: usize| InstructionCost {
        // The counts are incomplete if a warp was cut off before its end.
        issues: survey.counts.get(index).filter(|_| !survey.is_cut).map(|counts| counts.executed),
        stall: issues.map(|issues| issues.issue(index).stall.cycles as f64),
    };
    (0..count).map(cost).collect()
}

/// Returns the costs of a kernel's lines at a launch, sorted by path and line.
fn by_line(costs: &[InstructionCost], shares: Option<&Shares>, stacks: &[Stack]) -> Vec<LineCost> {
    let mut lines: BTreeMap<(&Arc<str>, u32), Vec<usize>> = BTreeMap::new();
    for (inst, stack) in stacks.iter().enumerate().take(costs.len()) {
        if let Some(place) = stack.first() {
            lines.entry((&place.path, place.line)).or_default().push(inst);
        }
    }
    let line = |((file, line), own): ((&Arc<str>, u32), Vec<usize>)| {
        let costs = || own.iter().map(|inst| costs[*inst]);
        let issue_slots = costs().map(|cost| cost.issues).sum::<Option<f64>>();
        let stalls = costs().map(|cost| Some(cost.issues? * cost.stall?)).sum::<Option<f64>>();
        let share = shares.map(|shares| own.iter().map(|inst| shares.share(*inst)).sum());
        LineCost {
            file: file.to_string(),
            line,
            instructions: own.len() as u32,
            issue_slots,
            stall_cycles: stalls,
            share,
        }
    };
    lines.into_iter().map(line).collect()
}

/// Returns the costs of a kernel's source lines, sorted by path and line. Empty if the source lines are
/// unknown.
///
/// `budget` bounds the simulation that determines the fractions of the time; `None` if the launch is
/// not predicted.
pub(super) fn of_kernel(
    kernel: &KernelView<'_>,
    launch: &Launch,
    budget: Option<Budget>,
) -> Cancellable<Vec<LineCost>> {
    let shares = match budget {
        Some(budget) => Shares::at(kernel, launch, budget)?,
        None => None,
    };
    let count = kernel.chunk.instructions().len() as u32;
    let stacks = if let Some(source) = kernel.source() {
        // Lines of PTX are lines of the document.
        let path: Arc<str> = "".into();
        let place = |inst| SourcePlace { path: Arc::clone(&path), line: source.line_of(inst) };
        (0..count).map(|inst| [place(inst)].into_iter().collect()).collect()
    } else {
        let name = kernel_name(kernel.chunk);
        let given = kernel.sass.text.given().stacks.iter().find(|(kernel, _)| *kernel == *name);
        given.map_or_else(|| stacks(kernel.chunk), |(_, stacks)| stacks.clone())
    };
    Ok(by_line(&of_instructions(kernel, launch), shares.as_ref(), &stacks))
}
