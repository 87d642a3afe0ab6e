//! The handler traits. A handler can access only its parameters, and its trait defines how requests are
//! served.
//!
//! All handlers are called in the order of arrival, and their effects before the first await occur in that
//! order.

use crate::server::documents::work::View;
use crate::server::handlers::of_document::OfDocument;
use crate::server::session::Session;
use crate::server::workspace::launch_text::{self, LaunchText};
use ide::Cancelled;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Result};

/// A notification. Its handler changes the session. The handler is not async, so it finishes before the next
/// message is read.
pub(in crate::server) trait Mutation {
    type Params;

    fn apply(session: &Session, params: Self::Params);
}

/// A request that is answered from a snapshot of one document, on a thread in the background.
///
/// The reply depends only on the snapshot and the parameters, so it is computed again if settings or launches change
/// in the meantime. If the text changes, the answer is "content modified", and a client that still wants the reply
/// repeats the request.
pub(in crate::server) trait Snapshot {
    type Params: OfDocument + Send + Sync + 'static;
    type Reply: Default + Send + 'static;

    fn reply(view: &View, params: &Self::Params) -> std::result::Result<Self::Reply, NoReply>;

    /// The reply for a document that is not open, or whose analysis has failed.
    fn without_document() -> Self::Reply {
        Self::Reply::default()
    }

    /// True if the request is also answered for a `warplens.toml` that an editor has open.
    const READS_LAUNCH_FILES: bool = false;

    /// The reply for an open `warplens.toml`.
    fn reply_of_launch_file(_: &LaunchText, _: &Self::Params) -> Self::Reply {
        Self::without_document()
    }

    /// Takes the snapshot before the first await.
    fn serve(session: &Session, params: Self::Params) -> impl Future<Output = Result<Self::Reply>> + Send {
        async move {
            let uri = params.uri().clone();
            let params = Arc::new(params);
            if Self::READS_LAUNCH_FILES {
                let asked = Arc::clone(&params);
                let job = move |file: &LaunchText| Some(Self::reply_of_launch_file(file, &asked));
                if let Some(answer) = launch_text::answer(&session.workspace, &uri, job) {
                    return Ok(answer.await?.unwrap_or_else(Self::without_document));
                }
            }
            let answer = session.documents.answer(&uri, move |view| match Self::reply(view, &params) {
                Ok(reply) => Ok(Ok(reply)),
                Err(NoReply::Refused(error)) => Ok(Err(error)),
                Err(NoReply::Cancelled) => Err(Cancelled),
            });
            answer.await?.unwrap_or_else(|| Ok(Self::without_document()))
        }
    }
}

/// The reason why a snapshot has no reply.
pub(in crate::server) enum NoReply {
    /// The text has changed, or the reply is no longer wanted.
    Cancelled,
    /// The requested operation is not possible.
    Refused(Error),
}

impl From<Cancelled> for NoReply {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A request that may query and change several stores, wait for programs, or query the client from a separate task.
pub(in crate::server) trait Task {
    type Params;
    type Reply;

    fn serve(session: &Session, params: Self::Params) -> impl Future<Output = Result<Self::Reply>> + Send;
}
