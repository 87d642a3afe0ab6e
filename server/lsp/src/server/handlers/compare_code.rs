//! `warplens/compareCode`: compares the compiled code of a document with the code that was pinned.
//!
//! Parameters: `textDocument`. Result: `{reason, pinned, version, comparison}`; if `comparison` is null,
//! `reason` explains this in one line. `comparison` has the instructions of both versions as texts for a diff
//! view (`before`, `after`), the `kernels` with their registers, shared memory, occupancy and predicted
//! cycles before and after, the `instructions` that differ, and the `lines` that have code in either version.

use crate::server::handlers::kind::Task;
use crate::server::handlers::of_document::DocumentParams;
use crate::server::session::Session;
use ide::Comparison;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct CompareCodeReply {
    reason: Option<String>,
    /// Version of the text whose code is pinned.
    pinned: Option<i32>,
    version: i32,
    comparison: Option<Comparison>,
}

pub(in crate::server) struct CompareCodeRequest;

impl Task for CompareCodeRequest {
    type Params = DocumentParams;
    type Reply = CompareCodeReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = params.text_document.uri;
        let (pinned, version) = {
            let state = session.documents.lock();
            let document = state.by_uri.get(&uri);
            (
                document.and_then(|document| document.pinned.clone()),
                document.map_or(0, |document| document.version),
            )
        };
        let without = |reason: &str, pinned| CompareCodeReply {
            reason: Some(reason.to_owned()),
            pinned,
            version,
            comparison: None,
        };
        let Some(pinned) = pinned else { return Ok(without("no code is pinned: pin a version first", None)) };
        let number = Some(pinned.version());
        let compared = session.documents.answer(&uri, move |view| view.analysis.compare(&pinned)).await?;
        Ok(match compared.flatten() {
            Some(comparison) => {
                CompareCodeReply { reason: None, pinned: number, version, comparison: Some(comparison) }
            }
            None => without("the code of the current text is not known yet", number),
        })
    }
}
