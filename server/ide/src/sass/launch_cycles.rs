//! The cycles of a launch: the one place that every view takes them from, so that no two say different ones.
//!
//! The simulation answers where it applies, else the equations of the ICS'17 paper. A view says how much of the launch is
//! to be simulated; less than [`crate::predict::FULL_EFFORT`] makes it a quick estimate, and says so.

#[cfg(test)]
mod tests;

use crate::engine::target::Target;
use crate::sass::predict::by_paper::DramFloor;
use crate::words::numbers::{in_four_digits, thousands};
use model::execution::MOST_UNSTATED_TRIPS;
use model::pipeline::Prediction;
use model::{KernelTiming, ModelName};
use std::sync::Arc;

/// The cycles of a launch, and where they are from.
#[derive(Debug, Clone)]
pub(crate) struct LaunchCycles {
    pub model: ModelName,
    pub cycles: Cycles,
    /// Less of the launch was simulated than can be.
    pub is_quick: bool,
    /// The simulation; `None` where the paper's equations answer.
    pub prediction: Option<Arc<Prediction>>,
    /// Times of the launch by the paper's equations.
    pub by_paper: KernelTiming,
    /// The time that DRAM takes, where the paper's equations give less: `cycles` are then those.
    pub dram: Option<DramFloor>,
}

/// The kind of answer that a launch's cycles have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cycles {
    Known(f64),
    /// They hang on what memory holds: at best and at worst, where the budget reaches for that.
    Between {
        low: f64,
        high: Option<f64>,
    },
    /// Most of them are in instructions that nobody has timed, foremost in those.
    NotTimed(String),
    Unknown,
}

impl LaunchCycles {
    /// The number, where there is one.
    pub(crate) const fn number(&self) -> Option<f64> {
        match self.cycles {
            Cycles::Known(cycles) => Some(cycles),
            _ => None,
        }
    }

    pub(crate) const fn low(&self) -> Option<f64> {
        match self.cycles {
            Cycles::Between { low, .. } => Some(low),
            _ => None,
        }
    }

    pub(crate) const fn high(&self) -> Option<f64> {
        match self.cycles {
            Cycles::Between { high, .. } => high,
            _ => None,
        }
    }

    pub(crate) fn not_timed(&self) -> Option<&str> {
        match &self.cycles {
            Cycles::NotTimed(name) => Some(name),
            _ => None,
        }
    }

    /// Words on the limiter where the paper's equations give less than DRAM takes.
    pub(crate) fn dram_limit(&self) -> Option<String> {
        self.dram.map(|floor| {
            format!("Limited by DRAM: {}, which takes longer than the equations say", floor.in_words())
        })
    }

    /// A sentence on why there is no number; `None` where there is one.
    pub(crate) fn note(&self) -> Option<String> {
        match &self.cycles {
            Cycles::Known(_) | Cycles::Unknown => None,
            Cycles::NotTimed(name) => Some(format!(
                "No cycles: {name} has not been timed, and it decides more than a tenth of them."
            )),
            Cycles::Between { high: None, .. } => Some(
                "The cycles depend on values in memory, or on values that the launch does not state: the figure is the best case. \
                 The worst case was not simulated: name one kernel, or state its launch."
                    .to_owned(),
            ),
            Cycles::Between { high: Some(_), .. } => Some(format!(
                "The cycles depend on values in memory, or on values that the launch does not state. The lower figure is the best \
                 case, the higher one the worst, with {MOST_UNSTATED_TRIPS} iterations of each such loop."
            )),
        }
    }

    /// The cycles in a few words, to follow a name, with why they are not one number: `900 to 1,200 cycles (...)`.
    pub(crate) fn in_words(&self) -> String {
        match (&self.cycles, self.model) {
            (Cycles::Between { .. }, ModelName::Pipeline) => {
                format!("{} (depends on unknown values)", self.in_short())
            }
            (Cycles::Between { .. }, ModelName::Paper) => {
                format!("{} (loop counts unknown)", self.in_short())
            }
            _ => self.in_short(),
        }
    }

    /// The cycles where room is scarce and the reason stands elsewhere: `~137,800 cycles`, `900 to 1,200 cycles`.
    pub(crate) fn in_short(&self) -> String {
        let number = |cycles: f64| thousands(in_four_digits(cycles));
        match (&self.cycles, self.model) {
            (Cycles::Known(cycles), ModelName::Pipeline) => format!("~{} cycles", number(*cycles)),
            (Cycles::Known(cycles), ModelName::Paper) => format!("~{} cycles", thousands(*cycles)),
            (Cycles::Between { low, high: Some(high) }, _) => {
                format!("{} to {} cycles", number(*low), number(*high))
            }
            (Cycles::Between { low, high: None }, _) => format!("{} cycles or more", number(*low)),
            (Cycles::NotTimed(name), _) => format!("cycles unknown ({name} is not timed)"),
            (Cycles::Unknown, _) => "cycles unknown".to_owned(),
        }
    }

    /// The instruction rate of an SM, where the cycles are a number of the simulation.
    pub(crate) fn ipc(&self, target: &Target) -> Option<f64> {
        let sm_cycles = self.number()? * f64::from(target.gpu.part.sm_count.value.max(1));
        let prediction = self.prediction.as_ref()?;
        (sm_cycles > 0.0).then(|| prediction.instructions / sm_cycles)
    }

    /// The simulation, where what it says of the SM's time is worth showing: not where most of it is in instructions that
    /// it knows no time of.
    pub(crate) fn shown(&self) -> Option<&Prediction> {
        self.prediction.as_deref().filter(|_| self.not_timed().is_none())
    }
}
