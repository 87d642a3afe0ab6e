//! Predictions of launches by the `pipeline` model, computed on first use and memoized in the kernel's
//! model.

use crate::engine::cancel::{Cancellable, Cancelled};
use crate::engine::kernel::KnownPrediction;
use crate::engine::kernel_view::KernelView;
use crate::engine::stored_predictions::{self, StoredPrediction};
use crate::kernels::predict::effort::full;
use model::Launch;
use model::pipeline::{Budget, NoPrediction, Prediction, predict};
use std::sync::Arc;

/// A prediction from a simulation.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedPrediction {
    pub prediction: Arc<Prediction>,
    /// True if the simulation ran with less than the full budget, so that a full simulation may still change the
    /// cycles.
    pub is_quick: bool,
}

/// Largest number of predictions memoized per kernel model.
const MAX: usize = 64; // limit: bounds memory

impl KernelView<'_> {
    /// Returns the prediction of a launch with at least this budget. A memoized prediction with a
    /// larger budget is reused. `None` if the model does not apply or no block fits on an SM.
    pub(crate) fn prediction(
        &self,
        launch: &Launch,
        budget: Budget,
    ) -> Cancellable<Option<SimulatedPrediction>> {
        let Self { sass, chunk, model, .. } = self;
        if sass.wants_paper() {
            return Ok(None);
        }
        let full = full(launch);
        let simulated = |prediction: Option<Arc<Prediction>>, by: Budget| {
            let is_quick = by.instructions < full.instructions;
            prediction.map(|prediction| SimulatedPrediction { prediction, is_quick })
        };
        if let Some((prediction, by)) = self.known_prediction(launch, budget) {
            return Ok(simulated(prediction, by));
        }
        let question = StoredPrediction { kernel: self, launch, budget: full };
        if let Some(prediction) = stored_predictions::read(&question) {
            self.keep_prediction(launch, full, Some(Arc::clone(&prediction)));
            return Ok(simulated(Some(prediction), full));
        }
        let Some(code) = model.code(chunk) else { return Ok(None) };
        let run = model.runnable(chunk, launch);
        let go_on = || sass.cancel.check().is_ok();
        let prediction = match predict(&code, &run, &self.target.gpu, launch, budget, &go_on) {
            Ok(prediction) => Some(Arc::new(prediction)),
            Err(NoPrediction::Cancelled) => return Err(Cancelled),
            Err(NoPrediction::DoesNotFit | NoPrediction::NoCode) => None,
        };
        if let Some(prediction) = prediction.as_ref().filter(|_| budget == full) {
            stored_predictions::write(&question, prediction);
        }
        self.keep_prediction(launch, budget, prediction.clone());
        Ok(simulated(prediction, budget))
    }

    /// Returns a memoized prediction with at least this budget, and the budget it was made with. `None` if no such
    /// prediction is memoized.
    fn known_prediction(&self, launch: &Launch, budget: Budget) -> Option<(Option<Arc<Prediction>>, Budget)> {
        let part = &self.target.gpu.part.name;
        self.model.predictions.find(|known| {
            let is_enough = known.budget.instructions >= budget.instructions;
            let is_it = is_enough && known.part == *part && known.launch == *launch;
            is_it.then(|| (known.prediction.clone(), known.budget))
        })
    }

    /// Memoizes a prediction. It replaces predictions of the same launch whose budget is not larger.
    fn keep_prediction(&self, launch: &Launch, budget: Budget, prediction: Option<Arc<Prediction>>) {
        let part = self.target.gpu.part.name.clone();
        let is_less = |known: &KnownPrediction| {
            known.budget.instructions <= budget.instructions && known.part == part && known.launch == *launch
        };
        let own = KnownPrediction { launch: launch.clone(), part: part.clone(), budget, prediction };
        self.model.predictions.keep_instead(is_less, own, MAX);
    }
}
