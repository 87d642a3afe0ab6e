//! `warplens/followAdvice`: what advice has brought that a code action has put into the text, by a run under the profiler.
//!
//! Parameters: `uri`, a document that is saved; `kernel`, as the profile names it; `advice`, the guide's code; `claimed`, times as fast
//! at most, or null. Result: `message`, one line for the user, null where there is nothing to say; `command`, which brings a profile by
//! hand, where nothing was run; `measured`, times as fast as before, or null. Cancelling the request stops the run.

use crate::server::handlers::kind::Task;
use crate::server::profiles::follow::{FollowOutcome, Followed};
use crate::server::session::Session;
use tokio::task::AbortHandle;
use tower_lsp_server::jsonrpc::{Error, Result};

pub(in crate::server) struct FollowAdviceRequest;

impl Task for FollowAdviceRequest {
    type Params = Followed;
    type Reply = FollowOutcome;

    async fn serve(session: &Session, followed: Self::Params) -> Result<Self::Reply> {
        let session = session.clone();
        // A task of its own, as it asks the client.
        let task = tokio::spawn(async move { session.profiles.follow(followed).await });
        let _stop = Stop(task.abort_handle());
        task.await.and_then(|outcome| outcome).map_err(|_| Error::internal_error())
    }
}

/// Ends the task when it is dropped, which the transport does to a cancelled request.
struct Stop(AbortHandle);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
