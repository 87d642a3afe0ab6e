//! The cycles of a launch. All views take them from here, so that they agree.
//!
//! The simulation gives them if it applies, else the equations of the ICS'17 paper. A view may use less than the full
//! simulation ([`crate::kernels::predict::effort`]); its figure is marked until the full one is known. If the bounds of
//! the cycles are too far apart, the view shows which values to state.

#[cfg(test)]
mod tests;

use crate::engine::target::Target;
use crate::kernels::predict::by_paper::DramFloor;
use crate::words::numbers::{in_four_digits, thousands};
use crate::words::to_state::ToState;
use model::execution::MOST_UNSTATED_TRIPS;
use model::pipeline::Prediction;
use model::{KernelTiming, ModelName};
use std::sync::Arc;

/// The cycles of a launch, and their source.
#[derive(Debug, Clone)]
pub(crate) struct LaunchCycles {
    pub model: ModelName,
    pub cycles: Cycles,
    /// True if less of the launch was simulated than for its full figure.
    pub is_quick: bool,
    /// The simulation; `None` if the paper's equations give the cycles.
    pub prediction: Option<Arc<Prediction>>,
    /// Times of the launch according to the paper's equations.
    pub by_paper: KernelTiming,
    /// The time that DRAM takes, if the paper's equations give less: `cycles` are then the DRAM's.
    pub dram: Option<DramFloor>,
    /// The missing values, if the bounds of the cycles are too far apart to be a figure.
    pub to_state: Option<ToState>,
}

/// The cycles of a launch, as far as they are determined.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cycles {
    Known(f64),
    /// The cycles depend on unknown values; lower and upper bound.
    Between {
        low: f64,
        high: f64,
    },
    /// More than a tenth of the cycles depends on instructions without measured timings; holds the mnemonic with the
    /// largest effect.
    NotTimed(String),
    Unknown,
}

/// Largest ratio of upper to lower bound at which both are still shown as the answer.
const MOST_APART: f64 = 1.5; // limit: a wider range says little

/// The mark of a figure that a full simulation may change.
const QUICK: &str = " (quick estimate)";

impl Cycles {
    /// True for a range whose bounds are too far apart to be an answer.
    pub(crate) fn are_apart(&self) -> bool {
        matches!(self, Self::Between { low, high } if *high > MOST_APART * low)
    }
}

impl LaunchCycles {
    /// The cycles, if they are a single number.
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
            Cycles::Between { high, .. } => Some(high),
            _ => None,
        }
    }

    pub(crate) fn not_timed(&self) -> Option<&str> {
        match &self.cycles {
            Cycles::NotTimed(name) => Some(name),
            _ => None,
        }
    }

    /// Names DRAM as the limiter, if the paper's equations give less than the time that DRAM takes.
    pub(crate) fn dram_limit(&self) -> Option<String> {
        self.dram.map(|floor| {
            format!("Limited by DRAM: {}, which takes longer than the equations say", floor.in_words())
        })
    }

    /// A sentence on why the cycles are not a single number; `None` if they are, or if no reason is known.
    pub(crate) fn note(&self) -> Option<String> {
        match &self.cycles {
            Cycles::Unknown => self.to_state.as_ref().map(|missing| match self.prediction {
                None => missing.note(),
                Some(_) => format!(
                    "No cycles: addresses depend on {}, which a profile does not record. Set them in warplens.toml: \
                     {}.",
                    missing.cause(),
                    missing.in_words()
                ),
            }),
            Cycles::Known(_) => None,
            Cycles::NotTimed(name) => Some(format!(
                "No cycles: {name} has not been timed, and more than a tenth of them depend on it."
            )),
            Cycles::Between { .. } => Some(match &self.to_state {
                Some(missing) if missing.is_for_launch_file() => missing.note(),
                Some(_) => format!(
                    "No cycles: they depend on values in memory, {} at best and at worst. A profile of the launch \
                     would narrow the range.",
                    self.range()
                ),
                None => format!(
                    "The cycles depend on values in memory, or on values that the launch does not state. The lower figure is the best \
                     case, the higher one the worst, with {MOST_UNSTATED_TRIPS} iterations of each such loop."
                ),
            }),
        }
    }

    /// The cycles in a few words, to follow a name, with the reason if they are not a single number: `900 to 1,200
    /// cycles (...)`.
    pub(crate) fn in_words(&self) -> String {
        match (&self.cycles, self.model) {
            (Cycles::Between { .. }, ModelName::Pipeline) if self.to_state.is_none() => {
                format!("{} (depends on unknown values)", self.in_short())
            }
            (Cycles::Between { .. }, ModelName::Paper) if self.to_state.is_none() => {
                format!("{} (loop counts unknown)", self.in_short())
            }
            _ => self.in_short(),
        }
    }

    /// The cycles for narrow spaces, without the reason: `~137,800 cycles`, `900 to 1,200 cycles`, ``state `n` for
    /// cycles``.
    pub(crate) fn in_short(&self) -> String {
        let number = |cycles: f64| thousands(in_four_digits(cycles));
        let figure = match (&self.cycles, self.model) {
            (Cycles::Known(cycles), ModelName::Pipeline) => format!("~{} cycles", number(*cycles)),
            (Cycles::Known(cycles), ModelName::Paper) => format!("~{} cycles", thousands(*cycles)),
            (Cycles::Between { .. }, _) => match &self.to_state {
                Some(missing) => return format!("{} for cycles", missing.in_short()),
                None => self.range(),
            },
            (Cycles::NotTimed(name), _) => return format!("cycles unknown ({name} is not timed)"),
            (Cycles::Unknown, _) => {
                return match &self.to_state {
                    Some(missing) => format!("{} for cycles", missing.in_short()),
                    None => "cycles unknown".to_owned(),
                };
            }
        };
        if self.is_quick { figure + QUICK } else { figure }
    }

    /// `900 to 1,200 cycles`, for any distance of the bounds; empty if the cycles are not a range.
    pub(crate) fn range(&self) -> String {
        let number = |cycles: f64| thousands(in_four_digits(cycles));
        match self.cycles {
            Cycles::Between { low, high } => format!("{} to {} cycles", number(low), number(high)),
            _ => String::new(),
        }
    }

    /// Instructions per cycle of an SM, if the simulation gives a single number of cycles; else `None`.
    pub(crate) fn ipc(&self, target: &Target) -> Option<f64> {
        let sm_cycles = self.number()? * f64::from(target.gpu.part.sm_count.value.max(1));
        let prediction = self.prediction.as_ref()?;
        (sm_cycles > 0.0).then(|| prediction.instructions / sm_cycles)
    }

    /// Returns the simulation, if its figures on the SM's time are worth showing: not if more than a tenth of it
    /// depends on instructions without measured timings.
    pub(crate) fn shown(&self) -> Option<&Prediction> {
        self.prediction.as_deref().filter(|_| self.not_timed().is_none())
    }
}
