//! The cycles of a launch, by the model that applies.

use super::{FULL_EFFORT, Question, by_paper};
use crate::engine::cancel::Answer;
use crate::sass::launch_cycles::{Cycles, LaunchCycles};
use model::ModelName;
use model::pipeline::{Budget, Certainty};

impl Question<'_> {
    /// The cycles of the launch with its times by the paper; `budget` says how much of it is simulated.
    pub(crate) fn cycles(&self, budget: Budget) -> Answer<LaunchCycles> {
        let Self { kernel, launch, times, .. } = *self;
        if let Some(prediction) = kernel.prediction(launch, budget)? {
            let cycles = match &prediction.certainty {
                Certainty::Settled => Cycles::Known(prediction.cycles),
                Certainty::Between { low, high } => Cycles::Between { low: *low, high: *high },
                Certainty::NotTimed(name) => Cycles::NotTimed(name.to_string()),
            };
            let (model, is_quick) = (ModelName::Pipeline, budget.instructions < FULL_EFFORT);
            // Its notes are shown beside the simulation, which knows the trips of more loops.
            let has_times = times.cycles.is_some() || times.occupancy.active_blocks == 0;
            let by_paper = if has_times { times.clone() } else { by_paper::cycles(self).1 };
            let prediction = Some(prediction);
            return Ok(LaunchCycles { model, cycles, is_quick, prediction, by_paper, dram: None });
        }
        let (cycles, mut by_paper) = match times.cycles {
            Some(cycles) => (Cycles::Known(cycles), times.clone()),
            None if times.occupancy.active_blocks == 0 => (Cycles::Unknown, times.clone()),
            None => by_paper::cycles(self),
        };
        let (cycles, dram) = by_paper::raise(self, cycles, &mut by_paper);
        let model = ModelName::Paper;
        Ok(LaunchCycles { model, cycles, is_quick: false, prediction: None, by_paper, dram })
    }
}
