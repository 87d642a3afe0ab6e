//! Threads for work that takes all of the computer.

use std::num::NonZeroUsize;
use std::thread;

pub(super) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
