//! Computes control codes from scratch, writes them into the text and predicts the gain.

mod actions;
mod error;
mod prediction;
mod renaming;
mod scheduled;
mod unscheduled;
mod write;

pub(crate) use actions::{actions, edits};
pub use prediction::PredictedCycles;
pub use scheduled::{AllowedChanges, PlacedInstruction, ScheduledKernel};

pub(in crate::sass) use unscheduled::UnscheduledKernel;

use crate::NotScheduled;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use model::schedule::Request;

impl SassView {
    /// Schedules the kernels named `function` (all for `None`), in text order. Each kernel is scheduled when the
    /// iterator reaches it. All instructions get new control codes. `freedom` allows other changes.
    pub fn schedule<'a>(
        &'a self,
        function: Option<&'a str>,
        freedom: AllowedChanges,
    ) -> impl Iterator<Item = Cancellable<Result<ScheduledKernel, NotScheduled>>> + 'a {
        self.kernels_named(function).map(move |(index, _)| {
            let request = Request { reorder: freedom.reorder, ..Request::default() };
            let mut kernel = UnscheduledKernel::new(self, index);
            let plain = kernel.schedule(&kernel.plan(&request)?)?;
            if !freedom.rename {
                return Ok(plain);
            }
            renaming::rename(&mut kernel);
            let renamed = kernel.schedule(&kernel.plan(&request)?)?;
            // Renaming registers does not always save cycles.
            Ok(if renamed.is_err() || is_quicker(&plain, &renamed) { plain } else { renamed })
        })
    }
}

/// True if `one` is predicted to take fewer cycles than `other`; false if either has no prediction.
fn is_quicker(
    one: &Result<ScheduledKernel, NotScheduled>,
    other: &Result<ScheduledKernel, NotScheduled>,
) -> bool {
    let cycles = |way: &Result<ScheduledKernel, NotScheduled>| {
        way.as_ref().ok().and_then(|kernel| kernel.predicted).map(|predicted| predicted.after)
    };
    cycles(one).zip(cycles(other)).is_some_and(|(one, other)| one < other)
}
