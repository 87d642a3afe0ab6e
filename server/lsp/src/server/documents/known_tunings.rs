//! Known tuning outcomes for the kernels of a document.

use ide::{Analysis, Shape, TuningOutcome};
use std::sync::Arc;

/// Tuning outcomes for the kernels of a document at its current version.
#[derive(Debug)]
pub(crate) struct KnownTunings {
    pub(crate) of: Analysis,
    pub(crate) known: Vec<Arc<TuningOutcome>>,
}

impl KnownTunings {
    pub(crate) fn new(of: Analysis) -> Self {
        Self { of, known: Vec::new() }
    }

    /// The outcome for a kernel and a shape; `None` if it is unknown.
    pub(crate) fn find(&self, kernel: &str, shape: &Shape) -> Option<&Arc<TuningOutcome>> {
        let shape = shape.to_string();
        self.known.iter().find(|known| known.kernel == kernel && known.shape == shape)
    }

    /// Keeps an outcome; replaces an earlier one for the same kernel and shape.
    pub(crate) fn insert(&mut self, outcome: Arc<TuningOutcome>) {
        let is_other =
            |known: &Arc<TuningOutcome>| (&known.kernel, &known.shape) != (&outcome.kernel, &outcome.shape);
        self.known.retain(is_other);
        self.known.push(outcome);
    }
}
