//! Predictions of the `pipeline` model for a kernel's launches that are known already.

use crate::engine::recent::Recent;
use model::Launch;
use model::pipeline::{Budget, Prediction};
use std::sync::Arc;

/// Predictions of a kernel's launches.
#[derive(Debug, Default)]
pub(crate) struct KnownPredictions(Recent<Known>);

#[derive(Debug)]
struct Known {
    launch: Launch,
    part: String,
    budget: Budget,
    prediction: Option<Arc<Prediction>>,
}

impl KnownPredictions {
    /// Returns the prediction of a launch on a part that was made with this budget or more.
    #[expect(clippy::option_option, reason = "a launch that cannot be predicted is known, too")]
    pub(crate) fn find(
        &self,
        launch: &Launch,
        part: &str,
        budget: Budget,
    ) -> Option<Option<Arc<Prediction>>> {
        self.0.find(|known| {
            let is_enough = known.budget.instructions >= budget.instructions
                && known.budget.has_worst >= budget.has_worst;
            let is_it = is_enough && known.part == *part && known.launch == *launch;
            is_it.then(|| known.prediction.clone())
        })
    }

    /// Takes note of a prediction.
    pub(crate) fn keep(
        &self,
        launch: &Launch,
        part: &str,
        budget: Budget,
        prediction: Option<Arc<Prediction>>,
    ) {
        self.0.keep(Known { launch: launch.clone(), part: part.to_owned(), budget, prediction });
    }
}
