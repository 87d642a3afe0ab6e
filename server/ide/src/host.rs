//! The open documents and what they share.

use crate::{Analysis, Cancel, Config, LaunchFile, TextEdit};
use machine::{Machine, UnknownGpu};
use std::sync::Arc;

/// A document's name; the client's URI or a path, never interpreted.
pub type DocumentId = String;

/// Holds documents, settings and the memo. Changing it never waits for work: snapshots are immutable.
#[derive(Debug)]
pub struct Host {}

impl Host {
    pub fn new(_machine: Arc<Machine>) -> Self {
        unimplemented!()
    }

    /// Replaces the settings. An unknown GPU is an error, and the previous settings stay.
    pub fn configure(&mut self, _config: Config) -> Result<(), UnknownGpu> {
        unimplemented!()
    }

    pub fn config(&self) -> &Config {
        unimplemented!()
    }

    /// The launch context for all documents; `None` removes it.
    pub fn set_launches(&mut self, _launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        unimplemented!()
    }

    /// Opens a document or replaces its whole text.
    pub fn open(&mut self, _id: &str, _version: i32, _text: &str) {
        unimplemented!()
    }

    /// Applies edits in order, each to the text that the one before left. False, and nothing changed, for a document
    /// that is not open.
    pub fn edit(&mut self, _id: &str, _version: i32, _edits: &[TextEdit]) -> bool {
        unimplemented!()
    }

    pub fn close(&mut self, _id: &str) {
        unimplemented!()
    }

    /// An immutable view of a document as it is now. Its work stops once `cancel` is set.
    pub fn snapshot(&self, _id: &str, _cancel: Cancel) -> Option<Analysis> {
        unimplemented!()
    }
}
