//! Certainty of a launch's cycles: they may depend on instructions without a measured time, or on the contents of
//! memory.
//!
//! Each dependence is checked by simulating the best case and the worst case. If their cycles differ by no
//! more than a tenth, the prediction is a single number.

use super::{EncounteredUnknowns, once};
use crate::Launch;
use crate::execution::{self, Scenario};
use crate::pipeline::code::Code;
use crate::pipeline::prediction::{Budget, Certainty, NoPrediction, Prediction};
use machine::Gpu;

/// Maximum ratio of worst-case to best-case cycles at which the prediction is a single number.
const TENTH: f64 = 1.1; // limit: about the error of a launch's prediction

/// Number of warp instructions in a simulation that only checks whether untimed instructions matter.
const MAX_CHECK_INSTRUCTIONS: u64 = 300_000; // limit: time

/// Inputs of a prediction: the code, the GPU, the launch and the simulation budget.
#[derive(Clone, Copy)]
pub(super) struct PredictionInputs<'a> {
    pub code: &'a Code,
    pub run: &'a execution::Code,
    pub gpu: &'a Gpu,
    pub launch: &'a Launch,
    pub budget: Budget,
    pub go_on: &'a dyn Fn() -> bool,
}

impl PredictionInputs<'_> {
    pub(super) fn certainty(
        &self,
        usual: &Prediction,
        met: &EncounteredUnknowns,
    ) -> Result<Certainty, NoPrediction> {
        if let Some(inst) = met.unknown_operation {
            return Ok(Certainty::NotTimed(self.code.name(inst)));
        }
        if met.is_stuck {
            return Ok(Certainty::EndlessWait(self.code.waiting()));
        }
        if let Some(name) = self.not_timed(usual, met)? {
            return Ok(Certainty::NotTimed(name));
        }
        if !met.depends_on_data {
            return Ok(Certainty::Settled);
        }
        let of = |scenario| {
            let run = self.run.assuming(scenario);
            Ok(once(PredictionInputs { run: &run, ..*self })?.0.cycles)
        };
        // The usual case lies between, even if a simulation of an extreme case gives otherwise.
        let low = of(Scenario::Best)?.min(usual.cycles);
        let high = of(Scenario::Worst)?.max(usual.cycles);
        Ok(if high > TENTH * low { Certainty::Between { low, high } } else { Certainty::Settled })
    }

    /// Returns the mnemonic of the untimed instructions with the largest effect on the cycles; `None` if all untimed
    /// instructions together change the cycles by no more than a tenth.
    fn not_timed(
        &self,
        usual: &Prediction,
        met: &EncounteredUnknowns,
    ) -> Result<Option<Box<str>>, NoPrediction> {
        let placed;
        let code = if met.unplaced.is_empty() {
            self.code
        } else {
            placed = self.code.with_untimed(&met.unplaced);
            &placed
        };
        let sub_cores = code.figures.sub_cores() as f64;
        // By mnemonic: the cycles that it may add if warps wait one after another, or if its pipe limits them.
        let mut added = vec![(0.0, 0.0); code.untimed.len()];
        for (op, executed) in code.ops.iter().zip(&met.executed) {
            let Some(number) = op.untimed.map(usize::from) else { continue };
            let bound = &code.untimed[number].1;
            added[number].0 += executed * f64::from(bound.latency) * met.rounds;
            added[number].1 += executed * f64::from(bound.interval) * met.warps / sub_cores;
        }
        let (waits, busy): (f64, f64) =
            added.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        // No simulation can get longer by more than this sum.
        if waits + busy <= (TENTH - 1.0) * usual.cycles {
            return Ok(None);
        }
        let instructions = self.budget.instructions.min(MAX_CHECK_INSTRUCTIONS);
        let budget = Budget { instructions };
        let of = |is_slow| {
            let code = code.with_bounds(is_slow);
            Ok(once(PredictionInputs { code: &code, budget, ..*self })?.0.cycles)
        };
        let moved = added.iter().zip(&code.untimed).filter(|(_, (_, bound))| bound.moves);
        let moved: f64 = moved.map(|((_, busy), _)| busy).sum();
        let free = of(false)?;
        // Units work in parallel, but DRAM traffic adds to that of all other instructions.
        let slow = of(true)?.max(busy).max(free + moved);
        if slow <= TENTH * free {
            return Ok(None);
        }
        let of_most = added.iter().map(|(waits, busy)| f64::max(*waits, *busy)).enumerate();
        let most = of_most.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(number, _)| number);
        Ok(most.map(|number| code.untimed[number].0.clone()))
    }
}
