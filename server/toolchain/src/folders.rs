//! Count of this process's private folders. Before the process ends, it waits for the count to reach zero.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Prefix of the names of private folders.
pub(crate) const PREFIX: &str = "warplens-private-";

/// Number of existing private folders of this process.
pub(crate) static FOLDERS: Mutex<usize> = Mutex::new(0);

pub(crate) static REMOVED: Condvar = Condvar::new();

/// True once a signal is ending this process.
pub(crate) static DYING: AtomicBool = AtomicBool::new(false);

/// Makes every thread that removes its private folder from now on block until the process ends. Otherwise the thread
/// could end the process as if no signal had arrived.
#[cfg(unix)]
pub(crate) fn hold_owners() {
    DYING.store(true, Ordering::Release);
}

/// Waits until this process has no private folders left, but no longer than `patience`.
pub(crate) fn wait_until_removed(patience: Duration) {
    let end = Instant::now() + patience;
    let mut count = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    while *count > 0 {
        let Some(left) = end.checked_duration_since(Instant::now()) else { return };
        count = REMOVED.wait_timeout(count, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}
