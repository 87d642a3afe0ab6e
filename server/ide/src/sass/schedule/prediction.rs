//! Predicted gains of new codes.

use super::subject::Subject;
use crate::ModelChoice;
use crate::engine::cancel::Answer;
use model::schedule::Plan;
use std::ops::Range;
use syntax::sass::Chunk;

/// Cycles of one warp alone through each block of a kernel once, caches warm, by the issue simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictedCycles {
    pub before: u64,
    pub after: u64,
}

impl Subject<'_> {
    /// For the blocks that touch a range of instructions. `new` is the kernel with the plan's codes.
    pub(super) fn predicted(
        &self,
        plan: &Plan,
        new: &Chunk,
        range: &Range<u32>,
    ) -> Answer<Option<PredictedCycles>> {
        // The model that is wanted has no control codes to look at.
        if self.sass.context.config.model == ModelChoice::Paper || plan.order.is_empty() {
            return Ok(None);
        }
        let Some(before) = self.cycles(self.given, range)? else { return Ok(None) };
        Ok(self.cycles(new, range)?.map(|after| PredictedCycles { before, after }))
    }

    fn cycles(&self, chunk: &Chunk, range: &Range<u32>) -> Answer<Option<u64>> {
        self.sass.cancel.check()?;
        let is_open = chunk.hash() == self.given.hash();
        let model = if is_open {
            self.sass.model(chunk, &self.target)
        } else {
            self.sass.take_model(chunk, &self.target)
        };
        let Some(issues) = self.sass.issues(chunk, &model) else { return Ok(None) };
        let program = &model.program;
        let blocks = program.blocks.iter().map(|block| block.instructions.clone());
        let touched = blocks.filter(|own| own.start < range.end && range.start < own.end);
        let cycles = touched.map(|own| {
            let last = own.end as usize - 1;
            // The last one keeps the warp for its own stall count.
            let stall = program.instructions[last].stall().unwrap_or(1);
            u64::from(issues.issue(last).cycle) + u64::from(stall)
        });
        Ok(Some(cycles.sum()))
    }
}
