//! `warplens/copyAs`: instructions in another assembler's notation, for a clipboard.

use crate::server::session::Session;
use ide::{Assembler, Copied, Refusal};
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Range, TextDocumentIdentifier};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct Params {
    text_document: TextDocumentIdentifier,
    /// If empty, the kernel around it is copied.
    range: Range,
    /// Left out, the answer says alone which ones fit.
    assembler: Option<Assembler>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct Answer {
    /// Assemblers that fit the architecture at the start of the range.
    assemblers: Vec<Assembler>,
    copied: Option<Copied>,
    /// One line: why there is nothing to copy.
    refused: Option<String>,
}

/// Null where the document is not open.
pub(in crate::server) async fn handle(session: &Session, params: Params) -> Result<Option<Answer>> {
    let answer = session.documents.answer(&params.text_document.uri, move |view| {
        let range = view.places().bytes(params.range);
        let assemblers = view.analysis.assemblers(range.start)?;
        let copied = params.assembler.map(|assembler| view.analysis.copy_as(range, assembler)).transpose()?;
        let (copied, refused) = match copied {
            Some(Ok(copied)) => (Some(copied), None),
            Some(Err(Refusal(why))) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Answer { assemblers, copied, refused })
    });
    answer.await
}
