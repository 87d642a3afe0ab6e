//! The sources of the proposed items.

use super::site::Site;
use crate::engine::sass_view::SassView;
use machine::Arch;
use std::sync::Arc;
use syntax::sass::{Chunk, Dialect};

/// The sources of the proposed items.
pub(super) struct Scope<'a> {
    pub(super) sass: &'a SassView,
    pub(super) chunk: &'a Arc<Chunk>,
    pub(super) dialect: Option<Dialect>,
    /// Architecture of the text.
    pub(super) arch: Arc<Arch>,
    pub(super) at: &'a Site,
}
