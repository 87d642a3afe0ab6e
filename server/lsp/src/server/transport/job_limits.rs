//! Limits on the number of concurrent jobs.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits on the number of concurrent jobs, one limit for each [`Urgency`]. They keep a burst of requests from starting
/// as many threads, and background jobs from delaying jobs that the user waits for.
#[derive(Debug)]
pub(crate) struct JobLimits {
    requests: Arc<Semaphore>,
    following: Arc<Semaphore>,
    background: Arc<Semaphore>,
    idle: Arc<Semaphore>,
}

impl JobLimits {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            requests: Arc::new(Semaphore::new(cores.max(2))),
            following: Arc::new(Semaphore::new(1)),
            background: Arc::new(Semaphore::new((cores / 2).max(1))),
            idle: Arc::new(Semaphore::new(1)),
        }
    }

    /// Waits until one more job may run. The job counts as running until the returned permit is dropped.
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

/// Urgency of a job, depending on who waits for its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    Request,
    /// The user waits, but already sees a preliminary result.
    Following,
    Background,
    /// No request waits: the job improves an earlier answer. Only one such job runs at a time, to keep the machine's
    /// load low.
    Idle,
}
