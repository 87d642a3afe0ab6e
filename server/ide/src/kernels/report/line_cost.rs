//! Costs of instructions, summed by the line of the source that they come from.

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

/// Cost of one line of a source in one kernel, by the code that it became.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineCost {
    /// The path as the compiler wrote it.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// SASS instructions that come from the line.
    pub instructions: u32,
    /// Times that a warp of the launch issues one of them, on average; null where the warps' way is not known.
    pub issue_slots: Option<f64>,
    /// Cycles that a warp alone waits before them, over the same paths with warm caches; null where the `pipeline` model
    /// does not apply, too.
    pub stall_cycles: Option<f64>,
    /// The line's share of the time of all warps of the launch, 0 to 1; null where the launch is not predicted.
    pub share: Option<f64>,
}

/// Cost of one instruction for one warp of a launch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InstructionCost {
    /// Times that it is issued; `None` where that is not known.
    pub issues: Option<f64>,
    /// Stall cycles before one issue; `None` if the `pipeline` model does not apply.
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

/// Returns the costs of a kernel's lines at a launch, by path and line.
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

/// Returns the costs of the lines that a kernel's instructions come from, by path and line; none where nothing names them.
///
/// `budget`: the part of the launch that is simulated for the shares; `None` where it is not predicted.
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
        // The lines of PTX are the document's own.
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
