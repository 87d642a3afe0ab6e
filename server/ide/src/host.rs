//! The open documents and what they share.

use crate::kernel::Memo;
use crate::stated::StatedResources;
use crate::target::Wish;
use crate::{Analysis, Cancel, Config, LaunchFile, TextEdit};
use machine::{Machine, UnknownGpu};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use syntax::sass::Listing;

/// A document's name; the client's URI or a path, never interpreted.
pub type DocumentId = String;

/// Holds documents, settings and the memo. Changing it never waits for work: snapshots are immutable.
#[derive(Debug)]
pub struct Host {
    documents: HashMap<DocumentId, Arc<Document>>,
    context: Arc<Context>,
}

/// One version of a document.
#[derive(Debug)]
pub(crate) struct Document {
    pub version: i32,
    pub listing: Listing,
    /// Computed when first asked for.
    stated: OnceLock<StatedResources>,
}

impl Document {
    fn new(version: i32, listing: Listing) -> Arc<Self> {
        Arc::new(Self { version, listing, stated: OnceLock::new() })
    }

    /// What the text's own headers say of its kernels.
    pub(crate) fn stated(&self) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::of(&self.listing))
    }
}

/// What all documents' answers depend on.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub machine: Arc<Machine>,
    pub config: Config,
    pub launches: Option<LaunchFile>,
    pub wish: Wish,
    pub memo: Arc<Memo>,
}

impl Default for Host {
    /// With the machines that ship with the program.
    fn default() -> Self {
        Self::new(Machine::builtin())
    }
}

impl Host {
    pub fn new(machine: Arc<Machine>) -> Self {
        let context = Context {
            machine,
            config: Config::default(),
            launches: None,
            wish: Wish::default(),
            memo: Arc::new(Memo::default()),
        };
        Self { documents: HashMap::new(), context: Arc::new(context) }
    }

    /// Replaces the settings. An unknown GPU is an error, and the previous settings stay.
    pub fn configure(&mut self, config: Config) -> Result<(), UnknownGpu> {
        let wish = Wish::of(&self.context.machine, &config, self.context.launches.as_ref())?;
        self.context = Arc::new(Context { config, wish, ..(*self.context).clone() });
        Ok(())
    }

    pub fn config(&self) -> &Config {
        &self.context.config
    }

    /// The launch context for all documents; `None` removes it. An unknown GPU is an error, and the previous one stays.
    pub fn set_launches(&mut self, launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        let wish = Wish::of(&self.context.machine, &self.context.config, launches.as_ref())?;
        self.context = Arc::new(Context { launches, wish, ..(*self.context).clone() });
        Ok(())
    }

    /// Opens a document or replaces its whole text.
    pub fn open(&mut self, id: &str, version: i32, text: &str) {
        self.documents.insert(id.to_owned(), Document::new(version, Listing::parse(text)));
        self.forget_unused();
    }

    /// Applies edits in order, each to the text that the one before left. False, and nothing changed, for a document
    /// that is not open.
    pub fn edit(&mut self, id: &str, version: i32, edits: &[TextEdit]) -> bool {
        let Some(document) = self.documents.get_mut(id) else { return false };
        let mut listing = None;
        for edit in edits {
            let before = listing.as_ref().unwrap_or(&document.listing);
            listing = Some(before.edit(edit.range.clone(), &edit.text));
        }
        let listing = listing.unwrap_or_else(|| document.listing.clone());
        *document = Document::new(version, listing);
        self.forget_unused();
        true
    }

    pub fn close(&mut self, id: &str) {
        self.documents.remove(id);
        self.forget_unused();
    }

    /// An immutable view of a document as it is now. Its work stops once `cancel` is set.
    pub fn snapshot(&self, id: &str, cancel: Cancel) -> Option<Analysis> {
        let document = Arc::clone(self.documents.get(id)?);
        Some(Analysis { document, context: Arc::clone(&self.context), cancel })
    }

    /// Kernel models computed since the start: what an edit adds to it is what it made stale.
    pub fn models_computed(&self) -> u64 {
        self.context.memo.computed()
    }

    fn forget_unused(&self) {
        let documents = || self.documents.values().map(|document| &document.listing);
        let kernels = documents().map(|listing| listing.chunks().len()).sum();
        self.context.memo.forget_unused(kernels, documents().flat_map(Listing::chunks));
    }
}
