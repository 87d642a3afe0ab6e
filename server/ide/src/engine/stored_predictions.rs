//! Full predictions that outlive the process, if the client provides a store.
//!
//! The store may lose or damage its content. A stored text consists of a line with the prediction's inputs, and
//! the prediction as JSON. It counts as absent if its inputs differ from the requested inputs, or if the JSON
//! cannot be parsed.

use crate::engine::kernel_view::KernelView;
use crate::engine::names;
use crate::engine::prediction_store::PredictionStore;
use model::Launch;
use model::pipeline::{Budget, Prediction};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Inputs of a full prediction that is read from or written to the store: a kernel, its launch and the simulation
/// budget.
pub(crate) struct StoredPrediction<'a> {
    pub kernel: &'a KernelView<'a>,
    pub launch: &'a Launch,
    pub budget: Budget,
}

impl StoredPrediction<'_> {
    /// Returns all inputs of the prediction on one line. `None` if the launch has counts from a profile.
    fn in_words(&self) -> Option<String> {
        let Self { kernel, launch, budget } = self;
        if launch.measured.is_some() {
            return None;
        }
        let KernelView { chunk, target, model, .. } = kernel;
        let mut words = format!(
            "{} {:016x} of {} instructions for sm_{} on {} of sm_{} with blocks of {:?}, {} simulated, at {launch:?}",
            names::kernel_name(chunk),
            chunk.hash(),
            chunk.instructions().len(),
            target.isa_sm,
            target.gpu.part.id,
            target.gpu.arch.sm,
            model.block(),
            budget.instructions,
        );
        words.retain(|letter| letter != '\n');
        Some(words)
    }
}

/// Returns the store's key for a line with a prediction's inputs. The key consists of two hashes of the line,
/// so that collisions are very unlikely.
fn key(question: &str) -> String {
    let mut key = String::new();
    for seed in 0_u8..2 {
        let mut hasher = DefaultHasher::new();
        (seed, question).hash(&mut hasher);
        // Writing to a string does not fail.
        let _ = write!(key, "{:016x}", hasher.finish());
    }
    key
}

/// Returns the store. `None` if there is no store, or if the settings turn the store off.
fn store<'a>(question: &'a StoredPrediction<'_>) -> Option<&'a dyn PredictionStore> {
    let context = &question.kernel.sass.context;
    context.store.as_deref().filter(|_| context.config.cache_predictions)
}

/// Returns the stored prediction for these inputs. `None` if no valid prediction is stored.
pub(crate) fn read(question: &StoredPrediction<'_>) -> Option<Arc<Prediction>> {
    let store = store(question)?;
    let words = question.in_words()?;
    let text = store.read(&key(&words))?;
    let body = text.strip_prefix(&words)?.strip_prefix('\n')?;
    let prediction: Prediction = serde_json::from_str(body).ok()?;
    let count = question.kernel.chunk.instructions().len();
    (prediction.shares.len() == count).then(|| Arc::new(prediction))
}

/// Stores a prediction. Does nothing if there is no store, or if the launch has counts from a profile.
pub(crate) fn write(question: &StoredPrediction<'_>, prediction: &Prediction) {
    let Some(store) = store(question) else { return };
    let Some(words) = question.in_words() else { return };
    if let Ok(body) = serde_json::to_string(prediction) {
        store.write(&key(&words), &format!("{words}\n{body}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, Cancel, Config, Host, LensSubject};
    use std::collections::HashMap;
    use std::sync::{Mutex, PoisonError};

    #[derive(Debug, Default)]
    struct MemoryStore(Mutex<HashMap<String, String>>);

    impl PredictionStore for MemoryStore {
        fn read(&self, key: &str) -> Option<String> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
        }

        fn write(&self, key: &str, text: &str) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), text.to_owned());
        }
    }

    const TEXT: &str = include_str!("../../../../tests/corpus/sm_90/sgemm.cuobjdump-sass.txt");

    fn opened(shelf: &Arc<MemoryStore>, config: Config) -> Analysis {
        let mut host = Host::default();
        host.keep_predictions_in(Arc::clone(shelf) as Arc<dyn PredictionStore>);
        host.configure(config).expect("it names no GPU");
        host.open("k.sass", 1, TEXT);
        host.snapshot("k.sass", Cancel::default()).expect("it is open")
    }

    fn first_kernel(analysis: &Analysis) -> usize {
        let sass = analysis.sass().expect("it is SASS");
        sass.kernels().next().expect("it has one").0
    }

    fn lens(analysis: &Analysis) -> (String, bool) {
        let lens = analysis.lens(first_kernel(analysis), LensSubject::Launch(0)).unwrap().expect("a lens");
        (lens.title, lens.is_quick)
    }

    #[test]
    fn a_later_session_has_the_full_figure_at_once() {
        let shelf = Arc::default();
        let first = opened(&shelf, Config::default());
        assert!(lens(&first).1, "{}", lens(&first).0);
        assert!(first.simulate(first_kernel(&first), LensSubject::Launch(0)).unwrap());
        let full = lens(&first);
        assert!(!full.1);
        assert_eq!(lens(&opened(&shelf, Config::default())), full);
        // With another GPU, or with the setting off, no stored prediction is found.
        let other = Config { gpu: "h100-pcie".to_owned(), ..Config::default() };
        assert!(lens(&opened(&shelf, other)).1);
        let off = Config { cache_predictions: false, ..Config::default() };
        assert!(lens(&opened(&shelf, off)).1);
        // A damaged entry counts as absent.
        for text in shelf.0.lock().unwrap().values_mut() {
            text.truncate(text.len() - 40);
        }
        assert!(lens(&opened(&shelf, Config::default())).1);
        for text in shelf.0.lock().unwrap().values_mut() {
            *text = text.replacen("sgemm", "other", 1);
        }
        assert!(lens(&opened(&shelf, Config::default())).1);
    }
}
