//! `textDocument/documentHighlight`: distinguishes reads from writes.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use ide::Usage;
use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, OneOf, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_highlight_provider = Some(OneOf::Left(true));
}

pub(in crate::server) struct DocumentHighlightRequest;

impl Snapshot for DocumentHighlightRequest {
    type Params = DocumentHighlightParams;
    type Reply = Option<Vec<DocumentHighlight>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.text_document_position_params.position);
        let references = view.analysis.references(offset)?.into_iter();
        let highlights = references.map(|reference| DocumentHighlight {
            range: places.range(&reference.range),
            kind: Some(match reference.usage {
                Usage::Read => DocumentHighlightKind::READ,
                Usage::Write => DocumentHighlightKind::WRITE,
                Usage::Text => DocumentHighlightKind::TEXT,
            }),
        });
        Ok(view.unless_nothing(highlights.collect()))
    }

    fn without_document() -> Self::Reply {
        Some(Vec::new())
    }
}
