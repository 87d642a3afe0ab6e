//! What the `pipeline` model predicts of a kernel's launches, computed when first asked for and kept with its model.

use crate::Cancelled;
use crate::ModelChoice;
use crate::analysis::Analysis;
use crate::kernel::{Answer, KernelModel};
use crate::target::Target;
use model::Launch;
use model::pipeline::{NoPrediction, Prediction, predict};
use std::sync::{Arc, Mutex, PoisonError};
use syntax::sass::Chunk;

/// Predictions of a kernel's launches.
#[derive(Debug, Default)]
pub(crate) struct PredictionMemo {
    known: Mutex<Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    launch: Launch,
    part: String,
    effort: u64,
    prediction: Option<Arc<Prediction>>,
}

/// Launches of a kernel that are kept.
const MOST: usize = 16;

impl Analysis {
    /// The prediction of a launch; `None` where the model does not apply or no block fits. About `effort` warp
    /// instructions are simulated.
    pub(crate) fn prediction(
        &self,
        chunk: &Chunk,
        model: &KernelModel,
        target: &Target,
        launch: &Launch,
        effort: u64,
    ) -> Answer<Option<Arc<Prediction>>> {
        if self.context.config.model == ModelChoice::Paper {
            return Ok(None);
        }
        let lock = || model.predictions.known.lock().unwrap_or_else(PoisonError::into_inner);
        let part = &target.gpu.part.name;
        let is_it = |known: &&Known| known.effort >= effort && known.part == *part && known.launch == *launch;
        if let Some(known) = lock().iter().find(is_it) {
            return Ok(known.prediction.clone());
        }
        let Some(code) = model.code(chunk) else { return Ok(None) };
        let run = model.runnable(chunk, launch);
        let go_on = || self.cancel.check().is_ok();
        let prediction = match predict(&code, &run, &target.gpu, launch, effort, &go_on) {
            Ok(prediction) => Some(Arc::new(prediction)),
            Err(NoPrediction::Cancelled) => return Err(Cancelled),
            Err(NoPrediction::DoesNotFit | NoPrediction::NoCode) => None,
        };
        let mut known = lock();
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push(Known {
            launch: launch.clone(),
            part: part.clone(),
            effort,
            prediction: prediction.clone(),
        });
        Ok(prediction)
    }
}
