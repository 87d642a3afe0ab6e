//! Interval of a launch's cycles: nine of ten measured launches lie within their interval.
//!
//! The width of the interval depends on the limiter of the launch, and on the assumptions of the simulation. The widths
//! come from the prediction errors of measured launches.

use crate::pipeline::code::Code;
use crate::pipeline::prediction::{Certainty, Limiter, Prediction, Resource};
use crate::pipeline::views::Pipe;
use machine::Rule;

/// Returns the lower and the upper end of the interval, in cycles, for a prediction of this certainty.
///
/// `is_contended` is true if atomics on the same words or sectors take most of the cycles.
pub(super) fn interval(
    code: &Code,
    prediction: &Prediction,
    certainty: &Certainty,
    is_contended: bool,
) -> (f64, f64) {
    let (below, above) = margins(code, prediction, is_contended);
    let (low, high) = match *certainty {
        Certainty::Between { low, high } => (low, high),
        Certainty::Settled | Certainty::NotTimed(_) | Certainty::EndlessWait(_) => {
            (prediction.cycles, prediction.cycles)
        }
    };
    (low * (1.0 - below), high * (1.0 + above))
}

/// Returns the margins below and above the predicted cycles that contain the measurements of nine of ten launches, as
/// shares of the prediction.
fn margins(code: &Code, prediction: &Prediction, is_contended: bool) -> (f64, f64) {
    let (below, above) = (&code.figures.below, &code.figures.above);
    let (mut less, mut more) = match prediction.limiter() {
        Limiter::Busy(Resource::Dram) => (below.dram.value, above.dram.value),
        Limiter::Busy(Resource::L2) => (below.l2.value, above.l2.value),
        Limiter::Busy(Resource::Blocks) => (below.starts.value, above.starts.value),
        Limiter::Busy(Resource::Pipe(Pipe::Shared) | Resource::Network) => {
            (below.shared.value, above.shared.value)
        }
        Limiter::Busy(Resource::Pipe(Pipe::Global | Pipe::Texture)) => (below.cache.value, above.cache.value),
        Limiter::Busy(Resource::Pipe(_)) => (below.arithmetic.value, above.arithmetic.value),
        Limiter::Latency(_) => (below.latency.value, above.latency.value),
    };
    if code.ops.iter().any(|op| matches!(op.rule, Rule::Copy | Rule::Product | Rule::Transfer)) {
        (less, more) = (less.max(below.asynchronous.value), more.max(above.asynchronous.value));
    }
    if is_contended {
        (less, more) = (less.max(below.contended.value), more.max(above.contended.value));
    }
    if !prediction.unknown_addresses.is_empty() || !prediction.undecided.is_empty() {
        (less, more) = (less + below.assumed.value, more + above.assumed.value);
    }
    if !prediction.slow_paths.is_empty() {
        more += above.slow_paths.value;
    }
    (f64::from(less) / 1000.0, f64::from(more) / 1000.0)
}
