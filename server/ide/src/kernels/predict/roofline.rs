//! Launches of a kernel under the part's performance ceilings, for views that draw a roofline.

use super::rates::ceilings;
use super::{Ceiling, LaunchPrediction, PredictionInputs};
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::launch::launches;
use crate::kernels::summary::kernel_at;
use model::Launch;
use model::pipeline::Budget;
use serde::Serialize;

/// One kernel and all its launches.
#[derive(Debug, Clone, Serialize)]
pub struct Roofline {
    /// Performance ceilings of the part, memory ceilings first.
    pub ceilings: Vec<Ceiling>,
    /// Predictions of the launches that can be predicted.
    pub launches: Vec<LaunchPrediction>,
}

/// Returns the roofline of the kernel at an offset, or of the nearest kernel. `None` if the document has no kernel.
/// `budget` returns the simulation budget of a launch.
pub(crate) fn roofline(
    sass: &SassView,
    offset: usize,
    budget: fn(&Launch) -> Budget,
) -> Cancellable<Option<Roofline>> {
    let Some((index, _)) = kernel_at(sass, offset) else { return Ok(None) };
    let kernel = &sass.kernel(index);
    let mut predicted = Vec::new();
    for (number, (launch, times)) in launches(kernel).iter().enumerate() {
        let question = PredictionInputs { kernel, launch, number, times };
        predicted.extend(question.predict(budget(launch))?);
    }
    Ok(Some(Roofline { ceilings: ceilings(&kernel.target.gpu), launches: predicted }))
}
