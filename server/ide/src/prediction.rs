//! Predictions of the `pipeline` model for a kernel's launches, computed when first asked for and kept with its model.

use crate::Cancelled;
use crate::ModelChoice;
use crate::analysis::Analysis;
use crate::kernel::{Answer, KernelModel};
use crate::memo::Memo;
use crate::target::Target;
use model::Launch;
use model::pipeline::{Budget, NoPrediction, Prediction, predict};
use std::sync::Arc;
use syntax::sass::Chunk;

/// Predictions of a kernel's launches.
pub(crate) type PredictionMemo = Memo<Known>;

#[derive(Debug)]
pub(crate) struct Known {
    launch: Launch,
    part: String,
    budget: Budget,
    prediction: Option<Arc<Prediction>>,
}

impl Analysis {
    /// The prediction of a launch; `None` where the model does not apply or no block fits.
    pub(crate) fn prediction(
        &self,
        chunk: &Chunk,
        model: &KernelModel,
        target: &Target,
        launch: &Launch,
        budget: Budget,
    ) -> Answer<Option<Arc<Prediction>>> {
        if self.context.config.model == ModelChoice::Paper {
            return Ok(None);
        }
        let part = &target.gpu.part.name;
        let known = model.predictions.find(|known| {
            let is_enough = known.budget.instructions >= budget.instructions
                && known.budget.has_worst >= budget.has_worst;
            let is_it = is_enough && known.part == *part && known.launch == *launch;
            is_it.then(|| known.prediction.clone())
        });
        if let Some(prediction) = known {
            return Ok(prediction);
        }
        let Some(code) = model.code(chunk) else { return Ok(None) };
        let run = model.runnable(chunk, &launch.trips);
        let go_on = || self.cancel.check().is_ok();
        let prediction = match predict(&code, &run, &target.gpu, launch, budget, &go_on) {
            Ok(prediction) => Some(Arc::new(prediction)),
            Err(NoPrediction::Cancelled) => return Err(Cancelled),
            Err(NoPrediction::DoesNotFit | NoPrediction::NoCode) => None,
        };
        let (launch, part) = (launch.clone(), part.clone());
        model.predictions.keep(Known { launch, part, budget, prediction: prediction.clone() });
        Ok(prediction)
    }
}
