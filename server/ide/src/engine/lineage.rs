//! Earlier versions of a document's long functions whose figures are known. Their figures are shown until the
//! figures of the current version are computed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Largest number of functions that are kept. The oldest is dropped first.
const MAX: usize = 8; // limit: a user edits few functions at a time

/// The functions whose figures are known. All versions of a document share them while the document is open.
#[derive(Debug)]
pub(crate) struct Lineage<T>(Mutex<Vec<KnownVersion<T>>>);

/// The latest version of a function for which figures are known.
#[derive(Debug)]
struct KnownVersion<T> {
    name: Box<str>,
    /// Hash of the function's text.
    hash: u64,
    /// The parsed document that contains this version.
    text: Arc<T>,
    /// Index of the function's chunk or item in `text`.
    index: usize,
}

impl<T> Default for Lineage<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Lineage<T> {
    /// Records that the figures of this version of a function are known.
    pub(crate) fn keep(&self, name: &str, hash: u64, text: &Arc<T>, index: usize) {
        let mut all = self.all();
        let known = all.iter().position(|known| &*known.name == name);
        if known.is_some_and(|at| all[at].hash == hash) {
            return;
        }
        match known {
            Some(at) => drop(all.remove(at)),
            None if all.len() >= MAX => drop(all.remove(0)),
            None => {}
        }
        all.push(KnownVersion { name: name.into(), hash, text: Arc::clone(text), index });
    }

    /// Returns the parsed document with the kept version of a function, and the index of its chunk or item.
    /// `None` if no version of the function is kept.
    pub(crate) fn find(&self, name: &str) -> Option<(Arc<T>, usize)> {
        self.all()
            .iter()
            .find(|known| &*known.name == name)
            .map(|known| (Arc::clone(&known.text), known.index))
    }

    /// Returns the parsed documents that contain the kept versions. The models of their functions must stay memoized.
    pub(crate) fn texts(&self) -> Vec<Arc<T>> {
        self.all().iter().map(|known| Arc::clone(&known.text)).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<KnownVersion<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
