//! The cycles of a launch, computed once for all views.
//!
//! The cycles come from the simulation if the simulation applies, otherwise from the equations of the
//! ICS'17 paper. A view may simulate only a part of the launch ([`crate::kernels::predict::effort`]).
//! Its figure is marked until the full figure is known. If the bounds of the cycles are too far apart,
//! the view shows which values the user must state.

#[cfg(test)]
mod tests;

use crate::engine::target::Target;
use crate::kernels::predict::by_paper::DramFloor;
use crate::kernels::predict::{LimitKind, LimitedBy};
use crate::words::numbers::{in_four_digits, thousands};
use crate::words::to_state::UnstatedInputs;
use model::execution::MAX_UNSTATED_TRIPS;
use model::pipeline::Prediction;
use model::{KernelTiming, ModelName};
use std::sync::Arc;

/// Cycles of a launch, and the model that predicted them.
#[derive(Debug, Clone)]
pub(crate) struct LaunchCycles {
    pub model: ModelName,
    pub cycles: Cycles,
    /// True if the simulation ran with less than the full budget, so that a full simulation may still change the
    /// cycles.
    pub is_quick: bool,
    /// The simulation; `None` if the cycles come from the paper's equations.
    pub prediction: Option<Arc<Prediction>>,
    /// Times of the launch by the paper's equations.
    pub by_paper: KernelTiming,
    /// DRAM time, if it exceeds the time of the paper's equations. `cycles` then holds the DRAM time.
    pub dram: Option<DramFloor>,
    /// Values that the user must state before cycles can be shown. `None` if no value is missing.
    pub to_state: Option<UnstatedInputs>,
}

/// Cycles of a launch: a number, a range, or unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cycles {
    Known(f64),
    /// Lower and upper bound of cycles that depend on unknown values.
    Between {
        low: f64,
        high: f64,
    },
    /// More than a tenth of the cycles depends on instructions without measured timings. Holds the
    /// mnemonic with the largest effect.
    NotTimed(String),
    /// In the simulation, warps wait without end at an instruction with this mnemonic.
    EndlessWait(String),
    Unknown,
}

/// Largest ratio of upper to lower bound at which both bounds are still shown.
const MAX_RANGE_RATIO: f64 = 1.5; // limit: a wider range says little

/// Mark of a figure that a full simulation may change.
const QUICK: &str = " (quick estimate)";

impl Cycles {
    /// True for a range whose bounds are too far apart to be shown.
    pub(crate) fn are_apart(&self) -> bool {
        matches!(self, Self::Between { low, high } if *high > MAX_RANGE_RATIO * low)
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

    /// Lower and upper bound on the cycles. For a range of cycles, these are the ends of the range. For a single number
    /// from a full simulation, these are the ends of the interval in which nine of ten measured launches lie. Otherwise
    /// `None`.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        match (&self.cycles, &self.prediction) {
            (Cycles::Known(_), Some(prediction)) if !self.is_quick => Some((prediction.low, prediction.high)),
            (Cycles::Between { low, high }, _) => Some((*low, *high)),
            _ => None,
        }
    }

    pub(crate) fn low(&self) -> Option<f64> {
        self.interval().map(|(low, _)| low)
    }

    pub(crate) fn high(&self) -> Option<f64> {
        self.interval().map(|(_, high)| high)
    }

    /// Formats the larger distance from a single number to an end of its interval: ` ±8 %`. Empty if no interval is
    /// known.
    fn margin(&self) -> String {
        match (&self.cycles, self.interval()) {
            (Cycles::Known(cycles), Some((low, high))) => {
                let margin = (cycles - low).max(high - cycles) / cycles.max(1.0);
                format!(" ±{:.0} %", (100.0 * margin).ceil())
            }
            _ => String::new(),
        }
    }

    /// Returns the limit that names the reason for unknown cycles: an untimed instruction or a wait without end. `None`
    /// for other cycles.
    pub(crate) fn unknown_limit(&self) -> Option<LimitedBy> {
        let (kind, name) = match &self.cycles {
            Cycles::NotTimed(name) => (LimitKind::NotTimed, name),
            Cycles::EndlessWait(name) => (LimitKind::EndlessWait, name),
            _ => return None,
        };
        Some(LimitedBy { kind, name: name.clone(), share: None })
    }

    /// Describes DRAM as the limiter; `None` unless the DRAM time exceeds the time of the paper's equations.
    pub(crate) fn dram_limit(&self) -> Option<String> {
        self.dram.map(|floor| {
            format!("Limited by DRAM: {}, which takes longer than the equations predict", floor.in_words())
        })
    }

    /// Explains why the cycles are not a single number; `None` if they are a single number, or if the
    /// reason is unknown.
    pub(crate) fn note(&self) -> Option<String> {
        match &self.cycles {
            Cycles::Unknown => self.to_state.as_ref().map(|missing| match self.prediction {
                None => missing.note(),
                Some(_) => format!(
                    "Cycles unknown, because addresses depend on {}, which a profile does not record. To get a \
                     prediction, {}.",
                    missing.cause(),
                    missing.in_words()
                ),
            }),
            Cycles::Known(_) => None,
            Cycles::NotTimed(name) => Some(format!(
                "Cycles unknown: {name} has not been timed, and more than a tenth of the cycles depend on this \
                 instruction."
            )),
            Cycles::EndlessWait(name) => Some(format!(
                "Cycles unknown: in the simulation, warps wait at {name} for an event that no warp of the launch causes."
            )),
            Cycles::Between { .. } => Some(match &self.to_state {
                Some(missing) if missing.is_for_launch_file() => missing.note(),
                Some(_) => format!(
                    "The number of cycles depends on values in memory: {} from best to worst case. A profile of the \
                     launch would narrow the range.",
                    self.range()
                ),
                None => format!(
                    "The cycles depend on values in memory, or on values that the launch does not state. The lower figure is the best \
                     case, the higher one the worst, with {MAX_UNSTATED_TRIPS} iterations of each loop whose count is unknown."
                ),
            }),
        }
    }

    /// Formats the cycles for use after a name, with the reason if they are not a single number: `900 to 1,200 cycles
    /// (...)`.
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

    /// Formats the cycles for narrow columns, without the reason: `~137,800 cycles`, `900 to 1,200
    /// cycles`, ``state `n` for cycles``.
    pub(crate) fn in_short(&self) -> String {
        let number = |cycles: f64| thousands(in_four_digits(cycles));
        let figure = match (&self.cycles, self.model) {
            (Cycles::Known(cycles), ModelName::Pipeline) => {
                format!("~{} cycles{}", number(*cycles), self.margin())
            }
            (Cycles::Known(cycles), ModelName::Paper) => format!("~{} cycles", thousands(*cycles)),
            (Cycles::Between { .. }, _) => match &self.to_state {
                Some(missing) => return format!("{} for cycles", missing.in_short()),
                None => self.range(),
            },
            (Cycles::NotTimed(name), _) => return format!("cycles unknown ({name} is not timed)"),
            (Cycles::EndlessWait(name), _) => {
                return format!("cycles unknown (a wait at {name} does not end)");
            }
            (Cycles::Unknown, _) => {
                return match &self.to_state {
                    Some(missing) => format!("{} for cycles", missing.in_short()),
                    None => "cycles unknown".to_owned(),
                };
            }
        };
        if self.is_quick { figure + QUICK } else { figure }
    }

    /// Formats a range of any width: `900 to 1,200 cycles`. Empty if the cycles are not a range.
    pub(crate) fn range(&self) -> String {
        let number = |cycles: f64| thousands(in_four_digits(cycles));
        match self.cycles {
            Cycles::Between { low, high } => format!("{} to {} cycles", number(low), number(high)),
            _ => String::new(),
        }
    }

    /// Instructions per cycle and SM; `None` unless the simulation predicts a single number of cycles.
    pub(crate) fn ipc(&self, target: &Target) -> Option<f64> {
        let sm_cycles = self.number()? * f64::from(target.gpu.part.sm_count.value.max(1));
        let prediction = self.prediction.as_ref()?;
        (sm_cycles > 0.0).then(|| prediction.instructions / sm_cycles)
    }

    /// Returns the simulation for views that show its stalls and busy fractions. `None` if a wait does not end, or
    /// if more than a tenth of the cycles depends on instructions without measured timings, because these figures are
    /// then unreliable.
    pub(crate) fn shown(&self) -> Option<&Prediction> {
        self.prediction.as_deref().filter(|_| self.unknown_limit().is_none())
    }
}
