//! Turns of work: how many pieces run at once.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits on how many may work at once, so that a burst of requests does not become a burst of threads. Work that the
/// user waits for and work that he does not wait for have their own turns.
#[derive(Debug)]
pub(crate) struct Turns {
    requests: Arc<Semaphore>,
    following: Arc<Semaphore>,
    background: Arc<Semaphore>,
    idle: Arc<Semaphore>,
}

impl Turns {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            requests: Arc::new(Semaphore::new(cores.max(2))),
            following: Arc::new(Semaphore::new(1)),
            background: Arc::new(Semaphore::new((cores / 2).max(1))),
            idle: Arc::new(Semaphore::new(1)),
        }
    }

    /// Waits until one more may work; over when what is given back is dropped.
    pub(crate) async fn take(&self, urgency: Urgency) -> OwnedSemaphorePermit {
        let turns = match urgency {
            Urgency::Request => &self.requests,
            Urgency::Following => &self.following,
            Urgency::Background => &self.background,
            Urgency::Idle => &self.idle,
        };
        Arc::clone(turns).acquire_owned().await.expect("the semaphore is never closed")
    }
}

/// Who waits for the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    Request,
    /// The user, who is shown something else meanwhile.
    Following,
    Background,
    /// No request: it finds a better answer to an earlier question. One thread does it, so that a machine stays cool.
    Idle,
}
