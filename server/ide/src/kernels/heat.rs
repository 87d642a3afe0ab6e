//! Predicted heat map: each instruction's share of the predicted time of a kernel's warps.

use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::names::short_name;
use crate::engine::sass_view::SassView;
use crate::engine::target::model_on;
use crate::kernels::launch::launches;
use crate::kernels::predict::effort::quick;
use crate::{Heat, HeatMap};
use model::execution::UNSTATED_TRIPS;
use model::pipeline::{Budget, Certainty, Prediction, Reason};
use model::{Launch, ModelName};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of instructions in one answer, over all kernels. Clients query a larger listing in several ranges.
const MAX_INSTRUCTIONS: usize = 20_000; // limit: bounds the time of an answer

/// Smallest share at which a line is marked.
pub(crate) const MIN_SHARE: f64 = 0.005; // limit: half a percent is less than the model's error

/// Smallest share that is shown as a figure, with its main stall reason.
const MIN_NAMED: f64 = 0.0005; // limit: less would be shown as 0.0 %

/// Returns the predicted heat of the kernels in a range of a listing; `None` if no kernel in the range
/// has a prediction.
///
/// The time is summed over all warps of the kernel's first launch, from each issue to the next. Kernels
/// that the `pipeline` model does not support are omitted.
pub(crate) fn heat(sass: &SassView, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
    let mut map: Option<HeatMap> = None;
    let mut left = MAX_INSTRUCTIONS;
    let chunks = sass.chunks_in(range);
    for (index, chunk) in sass.kernels().filter(|(index, _)| chunks.contains(index)) {
        sass.cancel.check()?;
        let Some(rest) = left.checked_sub(chunk.instructions().len()) else { break };
        left = rest;
        let kernel = sass.kernel(index);
        let Some(shares) = Shares::compute(&kernel)? else { continue };
        let map = map.get_or_insert_with(|| shares.map(&kernel));
        map.lines.extend(shares.marked().map(|(inst, share, reason)| Heat {
            range: sass.line_range(index, kernel.text(inst as usize).line as usize),
            share,
            is_stale: false,
            words: words(&kernel, share, reason),
        }));
    }
    Ok(map)
}

/// Fractions of the predicted time that a kernel's instructions take at one launch.
pub(crate) struct Shares {
    prediction: Arc<Prediction>,
    is_assumed: bool,
}

impl Shares {
    /// Returns the fractions at the first launch. `None` if the `pipeline` model does not apply, if
    /// nothing is executed, if the time depends on instructions without measured timings, or if a wait does not end.
    pub(crate) fn compute(kernel: &KernelView<'_>) -> Cancellable<Option<Self>> {
        let launches = launches(kernel);
        let Some((launch, _)) = launches.first() else { return Ok(None) };
        Self::at(kernel, launch, quick())
    }

    /// Returns the fractions at a given launch, or `None` as in [`Self::compute`]. `budget` bounds the
    /// simulated part of the launch.
    pub(crate) fn at(kernel: &KernelView<'_>, launch: &Launch, budget: Budget) -> Cancellable<Option<Self>> {
        let simulated = kernel.prediction(launch, budget)?;
        Ok(simulated.and_then(|simulated| Self::new(simulated.prediction, launch)))
    }

    fn new(prediction: Arc<Prediction>, launch: &Launch) -> Option<Self> {
        let is_executed = prediction.shares.iter().any(|(share, _)| *share > 0.0);
        let is_timed = !matches!(prediction.certainty, Certainty::NotTimed(_) | Certainty::EndlessWait(_));
        (is_executed && is_timed).then_some(Self { prediction, is_assumed: launch.assumed })
    }

    /// Describes an instruction's share of the launch's time and its main stall reason, in a sentence
    /// without a full stop.
    pub(crate) fn in_words(&self, kernel: &KernelView<'_>, inst: usize) -> String {
        let (share, reason) = self.of_instruction(inst);
        format!(
            "**{}**, {}",
            words(kernel, share, reason.filter(|_| share >= MIN_NAMED)),
            self.source(kernel)
        )
    }

    /// Returns a heat map that has no lines yet and states the source of the shares.
    pub(crate) fn map(&self, kernel: &KernelView<'_>) -> HeatMap {
        HeatMap { source: self.source(kernel), ..HeatMap::default() }
    }

    /// Formats the source of the shares: `predicted for the stated launch (pipeline, H100 SXM5 80 GB)`.
    /// Guessed trip counts and branches are noted.
    pub(crate) fn source(&self, kernel: &KernelView<'_>) -> String {
        let launch = if self.is_assumed { "an assumed launch" } else { "the stated launch" };
        let model = model_on(ModelName::Pipeline, &kernel.target);
        let guessed = match &self.prediction.certainty {
            _ if !self.prediction.guessed_trips.is_empty() => {
                format!("; loops with unknown trip counts are assumed to run {UNSTATED_TRIPS} iterations")
            }
            Certainty::Between { .. } => "; branches on unknown values are guessed".to_owned(),
            _ => String::new(),
        };
        format!("predicted for {launch} ({model}){guessed}")
    }

    /// The instruction's share of the time, 0 to 1, and its main stall reason.
    pub(crate) fn of_instruction(&self, inst: usize) -> (f64, Option<Reason>) {
        self.prediction.shares.get(inst).copied().unwrap_or_default()
    }

    /// The instruction's share of the time, 0 to 1.
    pub(crate) fn share(&self, inst: usize) -> f64 {
        self.of_instruction(inst).0
    }

    /// Instructions whose share is large enough to be marked, in text order. Each instruction has its
    /// main stall reason.
    fn marked(&self) -> impl Iterator<Item = (u32, f64, Option<Reason>)> {
        let all = (0..).zip(&self.prediction.shares);
        all.filter(|(_, (share, _))| *share >= MIN_SHARE)
            .map(|(inst, (share, reason))| (inst, *share, *reason))
    }
}

/// Formats a share and its reason: `23.0 % of the predicted time of sgemm; top stall reason: long_scoreboard`.
fn words(kernel: &KernelView<'_>, share: f64, reason: Option<Reason>) -> String {
    let reason = reason.map_or_else(String::new, |reason| format!("; top stall reason: {}", reason.name()));
    format!("{}{reason}", share_in_words(kernel, share))
}

/// Formats a share: `23.0 % of the predicted time of sgemm`.
pub(crate) fn share_in_words(kernel: &KernelView<'_>, share: f64) -> String {
    let name = short_name(kernel.chunk);
    if share > 0.0 && share < MIN_NAMED {
        return format!("less than 0.1 % of the predicted time of {name}");
    }
    format!("{:.1} % of the predicted time of {name}", 100.0 * share)
}
