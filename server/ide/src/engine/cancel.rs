//! Work that stops when its request is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use syntax::stop;

/// The work was overtaken by an edit or cancelled: there is no value, and nothing to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// A result that may have been overtaken.
pub(crate) type Cancellable<T> = Result<T, Cancelled>;

/// A token that long work asks whether to go on.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sets the token: work that asks it from now on ends with [`Cancelled`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once the token is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns `Err(Cancelled)` once the token is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.0.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }

    /// Does work on this thread that ends soon after the token is set, within loops that are handed no token, too; see
    /// [`syntax::stop`].
    pub fn ending<T>(&self, work: impl FnOnce() -> Result<T, Cancelled>) -> Result<T, Cancelled> {
        stop::unless(&self.0, work).unwrap_or(Err(Cancelled))
    }
}
