//! Earlier versions of a document's long functions whose figures are known: they are shown until those of the present
//! version are.

use crate::document::Document;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Functions that are kept; the oldest gives way.
const MOST: usize = 8;

/// Shared by all versions of a document from its opening on.
#[derive(Debug, Default)]
pub(crate) struct Lineage(Mutex<Vec<Known>>);

/// The last version of a function whose figures are known.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    name: Box<str>,
    /// A hash of the function's text.
    hash: u64,
    /// The version of the document that it stands in.
    pub document: Arc<Document>,
    /// Its chunk or item there.
    pub index: usize,
}

impl Lineage {
    /// Takes note that the figures of a function are known.
    pub(crate) fn keep(&self, name: &str, hash: u64, document: &Document, index: usize) {
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
        all.push(Known { name: name.into(), hash, document: document.detached(), index });
    }

    pub(crate) fn find(&self, name: &str) -> Option<Known> {
        self.all().iter().find(|known| &*known.name == name).cloned()
    }

    /// The documents whose models are still asked for.
    pub(crate) fn documents(&self) -> Vec<Arc<Document>> {
        self.all().iter().map(|known| Arc::clone(&known.document)).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
