//! `warplens/pinCode`: keeps the current compiled code of a document for a later comparison.
//!
//! Parameters: `textDocument`. Result: `{version, reason}`; `version` is null if no code of the current text
//! is known, and `reason` then explains this in one line. The code stays pinned until other code is pinned or
//! the document is closed.

use crate::server::handlers::kind::Task;
use crate::server::handlers::of_document::DocumentParams;
use crate::server::session::Session;
use ide::Cancel;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct PinCodeReply {
    version: Option<i32>,
    reason: Option<String>,
}

pub(in crate::server) struct PinCodeRequest;

impl Task for PinCodeRequest {
    type Params = DocumentParams;
    type Reply = PinCodeReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = params.text_document.uri;
        let mut state = session.documents.lock();
        let analysis = state.host.snapshot(uri.as_str(), Cancel::default());
        let is_known = state.host.code(uri.as_str()).is_some();
        let (Some(analysis), true) = (analysis, is_known) else {
            let reason =
                "no code of this text is known yet; wait until it is compiled, or show its SASS".to_owned();
            return Ok(PinCodeReply { version: None, reason: Some(reason) });
        };
        let version = analysis.version();
        let Some(document) = state.by_uri.get_mut(&uri) else {
            return Ok(PinCodeReply { version: None, reason: Some("the document is not open".to_owned()) });
        };
        document.pinned = Some(analysis);
        Ok(PinCodeReply { version: Some(version), reason: None })
    }
}
