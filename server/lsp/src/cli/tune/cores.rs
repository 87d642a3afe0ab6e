//! Number of threads for work that may use the whole computer.

use std::num::NonZeroUsize;
use std::thread;

pub(super) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
