//! Predicted gains of new control codes.

use super::unscheduled::UnscheduledKernel;
use crate::ModelChoice;
use crate::engine::cancel::Cancellable;
use model::schedule::Plan;
use std::ops::Range;
use syntax::sass::Chunk;

/// Cycles that a single warp takes to execute each basic block of a kernel once, with warm caches, as simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictedCycles {
    pub before: u64,
    pub after: u64,
}

/// Predicts the basic blocks that overlap a range of instructions. `new` is the kernel with the control
/// codes of the plan. `None` if the GPU has no issue simulation, or if the settings exclude it.
pub(super) fn predicted(
    kernel: &UnscheduledKernel<'_>,
    plan: &Plan,
    new: &Chunk,
    range: &Range<u32>,
) -> Cancellable<Option<PredictedCycles>> {
    // The paper's model ignores control codes.
    if kernel.sass.context.config.model == ModelChoice::Paper || plan.order.is_empty() {
        return Ok(None);
    }
    let Some(before) = cycles(kernel, kernel.given, range)? else { return Ok(None) };
    Ok(cycles(kernel, new, range)?.map(|after| PredictedCycles { before, after }))
}

fn cycles(kernel: &UnscheduledKernel<'_>, chunk: &Chunk, range: &Range<u32>) -> Cancellable<Option<u64>> {
    kernel.sass.cancel.check()?;
    let is_open = chunk.hash() == kernel.given.hash();
    let model = if is_open {
        kernel.sass.model(chunk, &kernel.target)
    } else {
        kernel.sass.take_model(chunk, &kernel.target)
    };
    let Some(issues) = kernel.sass.issues(chunk, &model) else { return Ok(None) };
    let program = &model.program;
    let blocks = program.blocks.iter().map(|block| block.instructions.clone());
    let touched = blocks.filter(|own| own.start < range.end && range.start < own.end);
    let cycles = touched.map(|own| {
        let last = own.end as usize - 1;
        // The last instruction occupies the warp for its own stall count.
        let stall = program.instructions[last].stall().unwrap_or(1);
        u64::from(issues.issue(last).cycle) + u64::from(stall)
    });
    Ok(Some(cycles.sum()))
}
