//! `warplens/tune`: compiles the variants of a kernel that `warplens.toml` tunes, and predicts them for one shape.
//!
//! Parameters: `uri`; `kernel`; `shape`, as in the lens: `M=2560 N=16 K=2560`. Result: `title`, one line; `table`,
//! plain text; `plot`, an SVG picture of all known shapes of the kernel; `outcome`, the outcome as data. If there is
//! no outcome, all of these are null, and `reason` explains why in one line. Cancelling the request stops the work.
//! Programs run only if the client has sent `trusted: true` in its `initializationOptions`.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::tuning::NoOutcome;
use crate::tune_plot::plot;
use ide::TuningOutcome;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{MessageType, Uri};

/// Parameters of a tune request, as stored in a code lens.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(in crate::server) struct TuneParams {
    pub(in crate::server) uri: Uri,
    pub(in crate::server) kernel: String,
    pub(in crate::server) shape: String,
}

#[derive(Debug, Default, Serialize)]
pub(in crate::server) struct TuneReply {
    title: Option<String>,
    table: Option<String>,
    plot: Option<String>,
    outcome: Option<TuningOutcome>,
    reason: Option<String>,
}

pub(in crate::server) struct TuneRequest;

impl Task for TuneRequest {
    type Params = TuneParams;
    type Reply = TuneReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        match session.tuning.tune(&params.uri, &params.kernel, &params.shape).await {
            Ok(outcome) => {
                let mut all = session.tuning.known_of(&params.uri, &params.kernel);
                if all.is_empty() {
                    all.push(outcome.clone());
                }
                Ok(TuneReply {
                    title: Some(outcome.title()),
                    table: Some(outcome.table()),
                    plot: Some(plot(&all)),
                    outcome: Some((*outcome).clone()),
                    reason: None,
                })
            }
            Err(NoOutcome::Because(why)) => Ok(TuneReply { reason: Some(why), ..TuneReply::default() }),
            Err(NoOutcome::Cancelled) => Err(Error::request_cancelled()),
        }
    }
}

/// Tunes a kernel for a client that does not wait for the answer. Shows the reason in the client if tuning
/// has no result.
pub(super) async fn tune_and_report(session: &Session, params: TuneParams) {
    if let Err(NoOutcome::Because(why)) =
        session.tuning.tune(&params.uri, &params.kernel, &params.shape).await
    {
        let words = format!("{} was not tuned: {why}", params.kernel);
        session.connection.client().show_message(MessageType::WARNING, words).await;
    }
}
