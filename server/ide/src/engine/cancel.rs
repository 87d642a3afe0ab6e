//! Work that stops when its request is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use syntax::stop;

/// The query was cancelled, by an edit or by the client: there is no value, and nothing to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// A result, or [`Cancelled`].
pub(crate) type Cancellable<T> = Result<T, Cancelled>;

/// A token that long queries check to see whether to continue.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sets the token: queries that check it from now on end with [`Cancelled`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once the token is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns `Err(Cancelled)` if the token is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.0.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }

    /// Runs `work` on this thread and stops it soon after the token is set, even within loops that are not passed a
    /// token; see [`syntax::stop`].
    pub fn ending<T>(&self, work: impl FnOnce() -> Result<T, Cancelled>) -> Result<T, Cancelled> {
        stop::unless(&self.0, work).unwrap_or(Err(Cancelled))
    }
}
