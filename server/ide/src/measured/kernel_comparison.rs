//! Comparison of a launch's measured figures with the model's predictions.

use super::kernel::MeasuredKernel;
use super::tally::Tally;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::profile_launch::gpu_of;
use crate::engine::sass_view::SassView;
use crate::kernels::heat::Shares;
use crate::kernels::launch::measured_launch;
use crate::kernels::launch_cycles::{Cycles, LaunchCycles};
use crate::kernels::predict::PredictionInputs;
use crate::kernels::predict::effort::quick;
use crate::words::numbers::thousands;
use model::execution::Survey;
use model::pipeline::Budget;
use model::{KernelTiming, Launch, MemorySpace};
use std::fmt::Write;
use std::sync::Arc;

/// A measured kernel with the corresponding predicted launch.
pub(crate) struct KernelComparison<'a> {
    pub measured: MeasuredKernel<'a>,
    kernel: KernelView<'a>,
    launch: Launch,
    number: usize,
    times: KernelTiming,
}

/// A measured figure and its prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeasuredPair {
    pub measured: f64,
    pub predicted: f64,
}

/// Measured and predicted figures of one or more instructions. A figure is `None` if its measurement or
/// its prediction is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ComparedFigures {
    /// Fraction of the kernel's samples, and fraction of the predicted time of all warps, 0 to 1.
    pub share: Option<MeasuredPair>,
    /// Shared-memory wavefronts per request.
    pub ways: Option<MeasuredPair>,
    /// Global-memory sectors per request.
    pub sectors: Option<MeasuredPair>,
    pub lanes: Option<MeasuredPair>,
}

/// Measured and predicted figures of a complete launch.
pub(crate) struct LaunchFigures {
    pub cycles: Option<f64>,
    pub predicted: LaunchCycles,
    /// True if the prediction uses execution counts of the profile.
    pub with_profile: bool,
    /// Achieved and predicted occupancy, 0 to 1.
    pub occupancy: Option<MeasuredPair>,
}

impl MeasuredPair {
    /// Ratio of the larger figure to the smaller figure; infinite if the smaller figure is zero.
    pub(crate) fn factor(self) -> f64 {
        let (least, most) = (self.measured.min(self.predicted), self.measured.max(self.predicted));
        if most <= 0.0 { 1.0 } else { most / least.max(0.0) }
    }
}

/// Metrics that give the duration of a launch in cycles, preferred metric first. The last metric is in every section
/// set of ncu.
pub(super) const CYCLES: [&str; 3] =
    ["sm__cycles_elapsed.max", "smsp__cycles_elapsed.max", "gpc__cycles_elapsed.max"];

pub(super) const OCCUPANCY: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

impl<'a> KernelComparison<'a> {
    /// Finds the measured and the predicted launch of a kernel. `None` if no profile has a launch of
    /// exactly this code, or if the measured launch is not among the predicted launches.
    pub(crate) fn find(sass: &'a SassView, index: usize) -> Option<Self> {
        let measured = MeasuredKernel::find(sass, index).filter(MeasuredKernel::is_same_code)?;
        let kernel = sass.kernel(index);
        let (number, launch, times) = measured_launch(&kernel)?;
        Some(Self { measured, kernel, launch, number, times })
    }

    /// Compares the figures of the complete launch. `budget` bounds the simulated part of the launch.
    pub(crate) fn whole(&self, budget: impl FnOnce(&Launch) -> Budget) -> Cancellable<LaunchFigures> {
        let Self { measured, kernel, launch, number, times } = self;
        let question = PredictionInputs { kernel, launch, number: *number, times };
        let metric = |name: &str| measured.chosen.launch.metric(name);
        let achieved = metric(OCCUPANCY).map(|percent| percent / 100.0);
        Ok(LaunchFigures {
            cycles: CYCLES.iter().find_map(|name| metric(name)).filter(|_| self.is_of_this_gpu()),
            predicted: question.cycles(budget(launch))?,
            with_profile: question.taken().is_some(),
            occupancy: achieved
                .map(|measured| MeasuredPair { measured, predicted: times.occupancy.fraction() })
                .filter(|_| self.is_of_this_gpu()),
        })
    }

    /// True if the profile comes from the GPU that the predictions are for, or names no GPU.
    fn is_of_this_gpu(&self) -> bool {
        let gpu = gpu_of(self.measured.chosen.launch, &self.kernel.sass.context.machine);
        gpu.is_none_or(|gpu| gpu.part.id == self.kernel.target.gpu.part.id)
    }

    /// Prepares comparisons for single instructions or for all instructions of a line. Access costs are
    /// predicted from the addresses, without the profile's counts.
    pub(crate) fn instructions(&self) -> Cancellable<Instructions<'_, 'a>> {
        let Self { kernel, launch, .. } = self;
        let uncounted = Launch { measured: None, ..launch.clone() };
        Ok(Instructions {
            own: self,
            survey: kernel.model.survey(kernel.chunk, &uncounted),
            shares: Shares::at(kernel, launch, quick())?,
        })
    }
}

/// Predictions of a kernel's instructions.
pub(crate) struct Instructions<'o, 'a> {
    own: &'o KernelComparison<'a>,
    survey: Arc<Survey>,
    /// `None` if the launch is not simulated.
    shares: Option<Shares>,
}

/// Accumulates a measured and a predicted mean, weighted by executions or requests.
#[derive(Default)]
struct Mean {
    measured: f64,
    predicted: f64,
    executed: f64,
}

impl Mean {
    fn add(&mut self, measured: f64, predicted: f64, executed: f64) {
        self.measured += measured;
        self.predicted += predicted * executed;
        self.executed += executed;
    }

    fn pair(&self) -> Option<MeasuredPair> {
        let Self { measured, predicted, executed } = *self;
        (executed > 0.0)
            .then(|| MeasuredPair { measured: measured / executed, predicted: predicted / executed })
    }
}

impl<'a> Instructions<'_, 'a> {
    fn tally(&self, inst: usize) -> Option<Tally<'a>> {
        self.own.measured.tally(inst)
    }

    /// Compares the combined figures of `insts`.
    pub(crate) fn compared(&self, insts: &[usize]) -> ComparedFigures {
        let (mut ways, mut sectors, mut lanes) = (Mean::default(), Mean::default(), Mean::default());
        let mut samples = 0.0;
        for inst in insts {
            let Some(tally) = self.tally(*inst) else { continue };
            samples += tally.samples;
            let Some(executed) = tally.executed.filter(|executed| *executed > 0.0) else { continue };
            let counts = self.survey.counts.get(*inst).filter(|counts| counts.executed > 0.0);
            if let (Some(own), Some(counts)) = (tally.lanes, counts) {
                lanes.add(own * executed, counts.present, executed);
            }
            let asked = u32::try_from(*inst).ok().and_then(|inst| self.survey.uses.get(&inst));
            let Some(asked) = asked.filter(|asked| asked.known && asked.on > 0.0) else { continue };
            // Executions with all lanes off make no requests.
            let requests = executed * asked.on;
            if let Some((all, _)) = tally.wavefronts.filter(|_| asked.wavefronts > 0.0) {
                ways.add(all, asked.wavefronts / asked.on, requests);
            }
            let is_global = matches!(asked.space, MemorySpace::Global | MemorySpace::Generic);
            if let Some((all, _)) = tally.sectors.filter(|_| is_global) {
                sectors.add(all, asked.sectors / asked.on, requests);
            }
        }
        let all = self.own.measured.samples;
        let predicted = self.shares.as_ref().map(|shares| insts.iter().map(|inst| shares.share(*inst)).sum());
        let share = predicted.filter(|_| all > 0.0);
        ComparedFigures {
            share: share.map(|predicted| MeasuredPair { measured: samples / all, predicted }),
            ways: ways.pair(),
            sectors: sectors.pair(),
            lanes: lanes.pair(),
        }
    }
}

impl ComparedFigures {
    /// Formats the figures as lines of Markdown; empty if there is nothing to compare.
    pub(crate) fn in_words(&self) -> String {
        let mut text = String::new();
        let mut line = |title: &str, pair: Option<MeasuredPair>, scale: f64, unit: &str| {
            if let Some(MeasuredPair { measured, predicted }) = pair {
                let (measured, predicted) = (number(scale * measured), number(scale * predicted));
                let _ = writeln!(text, "- {title}: {measured}{unit} measured, {predicted}{unit} predicted");
            }
        };
        line("Share of the kernel's samples, and of its predicted time", self.share, 100.0, " %");
        line("Shared memory wavefronts per request", self.ways, 1.0, "");
        line("Sectors per request", self.sectors, 1.0, "");
        line("Lanes", self.lanes, 1.0, "");
        text
    }
}

impl LaunchFigures {
    /// Formats the measured and predicted duration and occupancy; empty if there is nothing to compare.
    pub(crate) fn in_words(&self) -> String {
        let mut text = String::new();
        if let Some(cycles) = self.cycles {
            let _ = writeln!(
                text,
                "- Duration: {} cycles measured; predicted: {}{}",
                thousands(cycles),
                self.predicted_in_words(),
                self.with()
            );
        }
        if let Some(MeasuredPair { measured, predicted }) = self.occupancy {
            let (measured, predicted) = (100.0 * measured, 100.0 * predicted);
            let _ = writeln!(text, "- Occupancy: {measured:.0} % achieved, {predicted:.0} % theoretical");
        }
        text
    }

    /// Returns `, with profile` if the prediction uses the profile's counts; otherwise an empty text.
    pub(crate) const fn with(&self) -> &'static str {
        if self.with_profile { ", with profile" } else { "" }
    }

    /// Formats the predicted cycles: a single number or a range.
    pub(crate) fn predicted_in_words(&self) -> String {
        match &self.predicted.to_state {
            Some(missing) if self.predicted.low().is_some() => {
                format!("{} ({} for one figure)", self.predicted.range(), missing.in_words())
            }
            _ => self.predicted.in_words(),
        }
    }

    /// Returns the measured cycles and the predicted cycles; `None` if either is unknown. If the prediction is a range,
    /// uses the value in the range that is closest to the measurement.
    pub(crate) fn pair(&self) -> Option<MeasuredPair> {
        let measured = self.cycles?;
        let predicted = match self.predicted.cycles {
            Cycles::Known(cycles) => cycles,
            Cycles::Between { low, high } => measured.clamp(low, high.max(low)),
            Cycles::NotTimed(_) | Cycles::EndlessWait(_) | Cycles::Unknown => return None,
        };
        Some(MeasuredPair { measured, predicted })
    }
}

/// Formats a figure with one decimal, or without decimals if the rounded figure is an integer.
pub(super) fn number(figure: f64) -> String {
    let rounded = (10.0 * figure).round() / 10.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_between_two_figures_has_no_direction() {
        let factor = |measured, predicted| MeasuredPair { measured, predicted }.factor();
        let factors = [factor(1.0, 2.0), factor(3.0, 1.0), factor(0.0, 0.0)];
        assert_eq!(factors.map(|factor| format!("{factor}")).join(" "), "2 3 1");
        assert!(factor(0.0, 1.0).is_infinite());
    }

    #[test]
    fn only_what_both_sides_have_is_said() {
        let ways = Some(MeasuredPair { measured: 4.04, predicted: 1.5 });
        let words = ComparedFigures { ways, ..ComparedFigures::default() }.in_words();
        assert_eq!(words, "- Shared memory wavefronts per request: 4 measured, 1.5 predicted\n");
        assert_eq!(ComparedFigures::default().in_words(), "");
    }
}
