//! Context of a completion.

use super::site::Site;
use crate::engine::sass_view::SassView;
use machine::Arch;
use std::sync::Arc;
use syntax::sass::{Chunk, Dialect};

/// Data that completion items are computed from.
pub(super) struct Scope<'a> {
    pub(super) sass: &'a SassView,
    pub(super) chunk: &'a Arc<Chunk>,
    pub(super) dialect: Option<Dialect>,
    /// Architecture of the text.
    pub(super) arch: Arc<Arch>,
    pub(super) at: &'a Site,
}
