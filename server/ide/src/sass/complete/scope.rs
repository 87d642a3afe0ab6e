//! Inputs of a SASS completion.

use super::site::Site;
use crate::engine::sass_view::SassView;
use machine::Arch;
use std::sync::Arc;
use syntax::sass::{Chunk, Dialect};

/// Inputs from which completion items are computed.
pub(super) struct Scope<'a> {
    pub(super) sass: &'a SassView,
    pub(super) chunk: &'a Arc<Chunk>,
    pub(super) dialect: Option<Dialect>,
    /// Architecture of the listing.
    pub(super) arch: Arc<Arch>,
    pub(super) at: &'a Site,
}
