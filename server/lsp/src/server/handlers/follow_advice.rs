//! `warplens/followAdvice`: measures, by a run under the profiler, the gain of advice that a code action has applied.
//!
//! Parameters: `uri`, a saved document; `kernel`, as the profile names it; `advice`, the guide's code; `claimed`, the
//! largest claimed speedup or null. Result: `message`, one line for the user or null; `command`, a shell command that
//! produces a profile, if nothing was run; `measured`, the measured speedup or null. Cancelling the request stops the
//! run.

use crate::server::handlers::kind::Task;
use crate::server::profiles::follow::{FollowOutcome, FollowedAdvice};
use crate::server::session::Session;
use tokio::task::AbortHandle;
use tower_lsp_server::jsonrpc::{Error, Result};

pub(in crate::server) struct FollowAdviceRequest;

impl Task for FollowAdviceRequest {
    type Params = FollowedAdvice;
    type Reply = FollowOutcome;

    async fn serve(session: &Session, followed: Self::Params) -> Result<Self::Reply> {
        let session = session.clone();
        // Runs in a separate task because it waits for the client.
        let task = tokio::spawn(async move { session.profiles.follow(followed).await });
        let _stop = AbortOnDrop(task.abort_handle());
        task.await.and_then(|outcome| outcome).map_err(|_| Error::internal_error())
    }
}

/// Stops the task when this guard is dropped: the transport drops cancelled requests.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
