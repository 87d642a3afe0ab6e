//! `warplens/copyAs`: instructions in another assembler's notation, for the clipboard.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::handlers::of_document::of_document;
use ide::{Assembler, CopiedInstructions, Refusal};
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{Range, TextDocumentIdentifier};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct CopyAsParams {
    text_document: TextDocumentIdentifier,
    /// The range to copy; if it is empty, the kernel around it is copied.
    range: Range,
    /// If absent, the answer only lists the assemblers.
    assembler: Option<Assembler>,
}

of_document! { CopyAsParams: text_document.uri; }

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct CopyAsReply {
    /// Assemblers that support the architecture at the start of the range.
    assemblers: Vec<Assembler>,
    copied: Option<CopiedInstructions>,
    /// The reason, in one line, why the instructions cannot be copied; otherwise null.
    refused: Option<String>,
}

/// Null if the document is not open.
pub(in crate::server) struct CopyAsRequest;

impl Snapshot for CopyAsRequest {
    type Params = CopyAsParams;
    type Reply = Option<CopyAsReply>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let range = view.places().bytes(params.range);
        let assemblers = view.analysis.assemblers(range.start)?;
        let copied = params.assembler.map(|assembler| view.analysis.copy_as(range, assembler)).transpose()?;
        let (copied, refused) = match copied {
            Some(Ok(copied)) => (Some(copied), None),
            Some(Err(Refusal(why))) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Some(CopyAsReply { assemblers, copied, refused }))
    }
}
