//! Known outcomes for the kernels of a document.

use ide::{Analysis, Compiled, Shape, TuningOutcome};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

/// Tunings of the kernels of a document as it is.
#[derive(Debug)]
pub(crate) struct KnownTunings {
    pub(crate) of: Analysis,
    pub(crate) known: Vec<Arc<TuningOutcome>>,
    /// Kernels and shapes that are being tuned.
    pub(crate) under_way: Vec<(String, Shape)>,
}

impl KnownTunings {
    pub(crate) fn new(of: Analysis) -> Self {
        Self { of, known: Vec::new(), under_way: Vec::new() }
    }

    /// The outcome for a kernel and a shape; `None` where it has not been asked for.
    pub(crate) fn find(&self, kernel: &str, shape: &Shape) -> Option<&Arc<TuningOutcome>> {
        let shape = shape.to_string();
        self.known.iter().find(|known| known.kernel == kernel && known.shape == shape)
    }

    /// Keeps an outcome in the place of an earlier one.
    pub(crate) fn keep(&mut self, outcome: Arc<TuningOutcome>) {
        let is_other =
            |known: &Arc<TuningOutcome>| (&known.kernel, &known.shape) != (&outcome.kernel, &outcome.shape);
        self.known.retain(is_other);
        self.known.push(outcome);
    }
}

/// The code of variants' texts, or in one line why a compiler refuses one; the last ones that were compiled.
#[derive(Debug, Default)]
pub(crate) struct VariantCodes {
    hasher: RandomState,
    codes: HashMap<u64, Result<Compiled, String>>,
    order: VecDeque<u64>,
}

/// The most codes that are kept: those of two kernels.
const MOST_CODES: usize = 128;

impl VariantCodes {
    /// A hash of everything that a code depends on.
    pub(crate) fn key(&self, origin: &impl Hash) -> u64 {
        self.hasher.hash_one(origin)
    }

    pub(crate) fn find(&self, key: u64) -> Option<&Result<Compiled, String>> {
        self.codes.get(&key)
    }

    pub(crate) fn keep(&mut self, key: u64, code: Result<Compiled, String>) {
        if self.codes.insert(key, code).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > MOST_CODES
            && let Some(oldest) = self.order.pop_front()
        {
            self.codes.remove(&oldest);
        }
    }
}
