//! The prediction of the `pipeline` model for a launch, computed when it is first asked for and kept with the kernel's model.

use crate::engine::cancel::{Answer, Cancelled};
use crate::engine::kernel::KnownPrediction;
use crate::engine::kernel_view::KernelView;
use model::Launch;
use model::pipeline::{Budget, NoPrediction, Prediction, predict};
use std::sync::Arc;

/// A prediction; `None` for a launch that cannot be predicted.
#[derive(Debug)]
pub(crate) struct Outcome(pub Option<Arc<Prediction>>);

impl KernelView<'_> {
    /// The outcome of an earlier question for the prediction of a launch, with that budget or a larger one; `None` where there was none.
    pub(crate) fn known_prediction(&self, launch: &Launch, budget: Budget) -> Option<Outcome> {
        let part = &self.target.gpu.part.name;
        self.model.predictions.find(|known| {
            let is_enough = known.budget.instructions >= budget.instructions
                && known.budget.has_worst >= budget.has_worst;
            let is_it = is_enough && known.part == *part && known.launch == *launch;
            is_it.then(|| Outcome(known.prediction.clone()))
        })
    }

    /// The prediction of a launch; `None` where the model does not apply or no block fits.
    pub(crate) fn prediction(&self, launch: &Launch, budget: Budget) -> Answer<Option<Arc<Prediction>>> {
        let Self { sass, chunk, target, model, .. } = self;
        if sass.wants_paper() {
            return Ok(None);
        }
        if let Some(Outcome(prediction)) = self.known_prediction(launch, budget) {
            return Ok(prediction);
        }
        let part = &target.gpu.part.name;
        let Some(code) = model.code(chunk) else { return Ok(None) };
        let run = model.runnable(chunk, launch);
        let go_on = || sass.cancel.check().is_ok();
        let prediction = match predict(&code, &run, &target.gpu, launch, budget, &go_on) {
            Ok(prediction) => Some(Arc::new(prediction)),
            Err(NoPrediction::Cancelled) => return Err(Cancelled),
            Err(NoPrediction::DoesNotFit | NoPrediction::NoCode) => None,
        };
        let (launch, part) = (launch.clone(), part.clone());
        model.predictions.keep(KnownPrediction { launch, part, budget, prediction: prediction.clone() });
        Ok(prediction)
    }
}
