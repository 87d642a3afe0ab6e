//! Findings where the model deviates strongly from the measurement.

use super::findings::GROUP;
use super::kernel::MeasuredKernel;
use super::kernel_comparison::{ComparedFigures, KernelComparison, LaunchFigures, MeasuredPair, number};
use super::trees::thresholds;
use crate::engine::cancel::Cancellable;
use crate::engine::codes::MODEL_FAR_OFF;
use crate::engine::rules::level;
use crate::engine::sass_view::SassView;
use crate::kernels::predict::effort::{full, quick};
use crate::words::numbers::thousands;
use crate::{Diagnostic, Severity};
use std::ops::Range;

/// A figure of a kernel whose measured and predicted values differ by more than its threshold.
pub(super) struct LargeDeviation {
    /// The instruction of the access; `None` if the figure belongs to the complete launch.
    pub inst: Option<usize>,
    pub message: String,
}

/// Figures whose measured and predicted values differ by more than a threshold: the launch's cycles, and the costs of
/// single accesses.
pub(super) fn far_off(sass: &SassView, index: usize) -> Cancellable<Vec<LargeDeviation>> {
    let mut all = Vec::new();
    if level(&sass.context, MODEL_FAR_OFF, Some(Severity::Info)).is_none() {
        return Ok(all);
    }
    let Some(against) = KernelComparison::find(sass, index) else { return Ok(all) };
    let thresholds = thresholds(&sass.context);
    let is_far =
        |pair: &MeasuredPair, name: &str| pair.factor() > thresholds.value(name).unwrap_or(f64::INFINITY);
    let is_cycles_far = |whole: &LaunchFigures| whole.pair().filter(|pair| is_far(pair, "model_cycles"));
    let mut whole = against.whole(|_| quick())?;
    if is_cycles_far(&whole).is_some() {
        // A quick estimate may be far off even if the full simulation is not.
        whole = against.whole(full)?;
    }
    if let Some(pair) = is_cycles_far(&whole) {
        let message = format!(
            "The model predicts {}{}; {} were measured. The two differ by a factor of {:.1}.",
            whole.predicted_in_words(),
            if whole.with_profile { " with profile" } else { " without the profile" },
            thousands(pair.measured),
            pair.factor()
        );
        all.push(LargeDeviation { inst: None, message });
    }
    let instructions = against.instructions()?;
    for inst in 0..sass.listing().chunks()[index].instructions().len() {
        sass.cancel.check()?;
        let ComparedFigures { ways, sectors, .. } = instructions.compared(&[inst]);
        for (pair, what) in [(ways, "wavefronts of shared memory"), (sectors, "sectors of global memory")] {
            let Some(MeasuredPair { measured, predicted }) =
                pair.filter(|pair| is_far(pair, "model_requests"))
            else {
                continue;
            };
            let (measured, predicted) = (number(measured), number(predicted));
            let message = format!(
                "The model predicts {predicted} {what} per request; {measured} were measured. The cost of a \
                 request depends only on its addresses, so a parameter or the launch may differ from the measured one."
            );
            all.push(LargeDeviation { inst: Some(inst), message });
        }
    }
    Ok(all)
}

/// Converts a deviation to a finding that names its profile.
pub(super) fn of_model(message: &str, range: Range<usize>, kernel: &MeasuredKernel<'_>) -> Diagnostic {
    Diagnostic {
        range,
        code: MODEL_FAR_OFF,
        group: GROUP,
        severity: Severity::Info,
        message: format!("{message} (measured: {})", kernel.source()),
        related: Vec::new(),
        function: Some(kernel.chosen.launch.kernel.demangled.clone()),
        address: None,
    }
}
