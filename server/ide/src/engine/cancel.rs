//! Queries that stop when their request is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use syntax::stop;

/// Error of a query that an edit or the client cancelled. The query has no result, and no response is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// A result, or [`Cancelled`] if the query was cancelled.
pub(crate) type Cancellable<T> = Result<T, Cancelled>;

/// Cancellation token of long queries.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sets the token. Queries that check the token afterwards end with [`Cancelled`].
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

    /// Runs `work` on this thread. Soon after the token is set, `work` is stopped and the result is
    /// `Err(Cancelled)`, even if `work` is in a loop that does not receive the token (see [`syntax::stop`]).
    pub fn ending<T>(&self, work: impl FnOnce() -> Result<T, Cancelled>) -> Result<T, Cancelled> {
        stop::unless(&self.0, work).unwrap_or(Err(Cancelled))
    }
}
