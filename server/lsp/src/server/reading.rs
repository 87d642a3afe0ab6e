//! The reading of the folders' `warplens.toml` that is under way.

use ide::Cancel;
use std::sync::mpsc;
use std::time::Instant;

/// The reading that is under way.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// When it began, and what stops it.
    pub(super) under_way: Option<(Instant, Cancel)>,
    /// Files have changed since it began.
    pub(super) again: bool,
    /// Dropped when there is nothing more to read.
    pub(super) waiting: Vec<mpsc::Sender<()>>,
}
