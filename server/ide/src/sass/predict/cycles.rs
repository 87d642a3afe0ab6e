//! The cycles of a launch, by the model that applies.

use super::{FULL_EFFORT, by_paper};
use crate::engine::cancel::Answer;
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use crate::sass::launch_cycles::{Cycles, LaunchCycles};
use model::pipeline::{Budget, Certainty};
use model::{KernelTiming, Launch, ModelName};
use syntax::sass::Chunk;

impl SassView {
    /// The cycles of a launch with its times by the paper; `budget` says how much of it is simulated.
    pub(crate) fn launch_cycles(
        &self,
        chunk: &Chunk,
        model: &KernelModel,
        target: &Target,
        (launch, times): (&Launch, &KernelTiming),
        budget: Budget,
    ) -> Answer<LaunchCycles> {
        if let Some(prediction) = self.prediction(chunk, model, target, launch, budget)? {
            let cycles = match &prediction.certainty {
                Certainty::Settled => Cycles::Known(prediction.cycles),
                Certainty::Between { low, high } => Cycles::Between { low: *low, high: *high },
                Certainty::NotTimed(name) => Cycles::NotTimed(name.to_string()),
            };
            let (model, is_quick) = (ModelName::Pipeline, budget.instructions < FULL_EFFORT);
            let (prediction, by_paper) = (Some(prediction), times.clone());
            return Ok(LaunchCycles { model, cycles, is_quick, prediction, by_paper });
        }
        let (cycles, by_paper) = match times.cycles {
            Some(cycles) => (Cycles::Known(cycles), times.clone()),
            None if times.occupancy.active_blocks == 0 => (Cycles::Unknown, times.clone()),
            None => by_paper::cycles(chunk, model, target, (launch, times)),
        };
        Ok(LaunchCycles { model: ModelName::Paper, cycles, is_quick: false, prediction: None, by_paper })
    }
}
