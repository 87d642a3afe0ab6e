//! Everything that can be asked of a document, at one version.

use crate::{Cancelled, Diagnostic, Fold, Hint, Hover, Lens, SemanticToken, Symbol, report};
use std::ops::Range;

/// An immutable view of one document. Cheap to clone; may be used on any thread.
#[derive(Debug, Clone)]
pub struct Analysis {}

impl Analysis {
    /// The version that every answer of this snapshot belongs to.
    pub fn version(&self) -> i32 {
        unimplemented!()
    }

    /// The name of the GPU that numbers are for, and why it: for the status line and tooltips.
    pub fn gpu_name(&self) -> String {
        unimplemented!()
    }

    /// What parsing found; quick.
    pub fn syntax_diagnostics(&self) -> Result<Vec<Diagnostic>, Cancelled> {
        unimplemented!()
    }

    /// What needs the model; [`Self::syntax_diagnostics`] not included.
    pub fn model_diagnostics(&self) -> Result<Vec<Diagnostic>, Cancelled> {
        unimplemented!()
    }

    /// Hints whose place is in the range, in text order.
    pub fn hints(&self, _range: Range<usize>) -> Result<Vec<Hint>, Cancelled> {
        unimplemented!()
    }

    pub fn hover(&self, _offset: usize) -> Result<Option<Hover>, Cancelled> {
        unimplemented!()
    }

    /// Tokens that touch the range, in text order; the whole text for `None`.
    pub fn semantic_tokens(&self, _range: Option<Range<usize>>) -> Result<Vec<SemanticToken>, Cancelled> {
        unimplemented!()
    }

    pub fn symbols(&self) -> Result<Vec<Symbol>, Cancelled> {
        unimplemented!()
    }

    pub fn folds(&self) -> Result<Vec<Fold>, Cancelled> {
        unimplemented!()
    }

    pub fn lenses(&self) -> Result<Vec<Lens>, Cancelled> {
        unimplemented!()
    }

    /// The whole analysis as data, for the command line.
    pub fn report(&self) -> Result<report::Report, Cancelled> {
        unimplemented!()
    }
}
