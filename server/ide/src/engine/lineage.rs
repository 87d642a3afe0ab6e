//! Earlier versions of a document's long functions whose figures are known: they are shown until those of the present
//! version are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Functions that are kept; the oldest gives way.
const MOST: usize = 8; // limit: a user edits few functions at a time

/// Shared by all versions of a document from its opening on.
#[derive(Debug)]
pub(crate) struct Lineage<T>(Mutex<Vec<Known<T>>>);

/// The last version of a function whose figures are known.
#[derive(Debug)]
struct Known<T> {
    name: Box<str>,
    /// A hash of the function's text.
    hash: u64,
    /// The text that contains it.
    text: Arc<T>,
    /// Its chunk or item there.
    index: usize,
}

impl<T> Default for Lineage<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Lineage<T> {
    /// Takes note that the figures of a function are known.
    pub(crate) fn keep(&self, name: &str, hash: u64, text: &Arc<T>, index: usize) {
        let mut all = self.all();
        let known = all.iter().position(|known| &*known.name == name);
        if known.is_some_and(|at| all[at].hash == hash) {
            return;
        }
        match known {
            Some(at) => drop(all.remove(at)),
            None if all.len() >= MOST => drop(all.remove(0)),
            None => {}
        }
        all.push(Known { name: name.into(), hash, text: Arc::clone(text), index });
    }

    /// Returns the text that contains the last known version of a function, and its chunk or item there.
    pub(crate) fn find(&self, name: &str) -> Option<(Arc<T>, usize)> {
        self.all()
            .iter()
            .find(|known| &*known.name == name)
            .map(|known| (Arc::clone(&known.text), known.index))
    }

    /// Returns the texts whose models are still asked for.
    pub(crate) fn texts(&self) -> Vec<Arc<T>> {
        self.all().iter().map(|known| Arc::clone(&known.text)).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Known<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
