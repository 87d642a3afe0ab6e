//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, even after a panic while the lock was held: such a panic leaves at most one document
/// inconsistent, which is poisoned.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
