//! Cycles of a launch, by the model that applies to it.

use super::{PredictionInputs, by_paper};
use crate::engine::cancel::Cancellable;
use crate::kernels::launch::to_state;
use crate::kernels::launch_cycles::{Cycles, LaunchCycles};
use crate::kernels::prediction::SimulatedPrediction;
use crate::words::to_state::UnstatedInputs;
use machine::MemorySpace;
use model::pipeline::{Budget, Certainty};
use model::{Launch, ModelName};
use std::collections::BTreeSet;

impl PredictionInputs<'_> {
    /// Returns the cycles of the launch, and its times by the paper's equations. `budget` bounds the simulation. The
    /// result of a simulation with a larger budget is reused.
    pub(crate) fn cycles(&self, budget: Budget) -> Cancellable<LaunchCycles> {
        let Self { kernel, launch, number, times } = *self;
        if let Some(SimulatedPrediction { prediction, is_quick }) = kernel.prediction(launch, budget)? {
            let cycles = match (&prediction.certainty, prediction.number()) {
                (_, Some(number)) => Cycles::Known(number),
                (Certainty::NotTimed(name), None) => Cycles::NotTimed(name.to_string()),
                (Certainty::EndlessWait(name), None) => Cycles::EndlessWait(name.to_string()),
                (_, None) => Cycles::Between { low: prediction.low, high: prediction.high },
            };
            let open = [&prediction.guessed_trips, &prediction.unknown_addresses, &prediction.undecided];
            let open: BTreeSet<u32> = open.into_iter().flatten().copied().collect();
            let missing = || to_state(kernel, launch, number, &open, &prediction.guessed_trips);
            let to_state = cycles.are_apart().then(missing);
            let (cycles, to_state) = match self.places_to_state() {
                Some(places)
                    if to_state.is_none()
                        && !matches!(cycles, Cycles::NotTimed(_) | Cycles::EndlessWait(_)) =>
                {
                    (Cycles::Unknown, Some(places))
                }
                _ => (cycles, to_state),
            };
            // The figures of the equations are shown next to the simulation, which knows the trip
            // counts of more loops.
            let has_times = times.cycles.is_some() || times.occupancy.active_blocks == 0;
            let by_paper = if has_times { times.clone() } else { by_paper::cycles(self).1 };
            let (model, prediction, dram) = (ModelName::Pipeline, Some(prediction), None);
            return Ok(LaunchCycles { model, cycles, is_quick, prediction, by_paper, dram, to_state });
        }
        let (cycles, mut by_paper) = match times.cycles {
            Some(cycles) => (Cycles::Known(cycles), times.clone()),
            None if times.occupancy.active_blocks == 0 => (Cycles::Unknown, times.clone()),
            None => by_paper::cycles(self),
        };
        let survey = kernel.model.survey(kernel.chunk, launch);
        let missing = |open| to_state(kernel, launch, number, open, &survey.guessed_trips);
        let to_state = cycles.are_apart().then(|| missing(&survey.guessed_trips));
        // The equations count both sides of a branch, even if a parameter decides the branch for all
        // warps. Their result is then not a valid figure for the launch.
        let is_open = to_state.is_none() && times.cycles.is_none() && !matches!(cycles, Cycles::Unknown);
        let ways = is_open.then(|| missing(&survey.undecided)).filter(|ways| !ways.parameters.is_empty());
        let (cycles, to_state) = if ways.is_some() { (Cycles::Unknown, ways) } else { (cycles, to_state) };
        let (cycles, dram) = by_paper::raise(self, cycles, &mut by_paper);
        let (model, prediction) = (ModelName::Paper, None);
        Ok(LaunchCycles { model, cycles, is_quick: false, prediction, by_paper, dram, to_state })
    }

    /// Returns the unstated parameters that addresses in global memory depend on, for a launch with
    /// profile counts. `None` if the launch has no profile counts, or if no address depends on an
    /// unstated parameter.
    ///
    /// A profile counts executions and requested sectors, but records no addresses, on which cache hits
    /// depend. On an H100, if addresses depend on unstated parameters, predictions from the counts alone
    /// are off by a factor of up to 5. For all other kernels, they agree with predictions for the stated
    /// launch.
    fn places_to_state(&self) -> Option<UnstatedInputs> {
        let Self { kernel, launch, number, .. } = *self;
        launch.measured.as_ref()?;
        let derived = kernel.model.survey(kernel.chunk, &Launch { measured: None, ..launch.clone() });
        let is_global = |space: MemorySpace| matches!(space, MemorySpace::Global | MemorySpace::Generic);
        let open = derived.uses.iter().filter(|(_, access)| !access.known && is_global(access.space));
        let open: BTreeSet<u32> = open.map(|(inst, _)| *inst).collect();
        let found = to_state(kernel, launch, number, &open, &BTreeSet::new());
        (!found.parameters.is_empty()).then_some(found)
    }
}
