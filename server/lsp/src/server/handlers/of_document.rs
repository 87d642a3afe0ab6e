//! Parameters of requests about one document.

use serde::Deserialize;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCallsParams, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CompletionParams, DocumentFormattingParams, DocumentHighlightParams, DocumentRangeFormattingParams,
    DocumentSymbolParams, FoldingRangeParams, GotoDefinitionParams, HoverParams, ReferenceParams,
    RenameParams, SelectionRangeParams, SemanticTokensRangeParams, SignatureHelpParams,
    TextDocumentIdentifier, TextDocumentPositionParams, Uri,
};

pub(in crate::server) trait OfDocument {
    /// The document that the request refers to.
    fn uri(&self) -> &Uri;
}

/// Implements [`OfDocument`] for parameter types. Each line names a type and the path of its field with the
/// document's URI.
macro_rules! of_document {
    ($($params:ty: $($field:ident).+;)+) => {
        $(impl $crate::server::handlers::of_document::OfDocument for $params {
            fn uri(&self) -> &tower_lsp_server::ls_types::Uri {
                &self.$($field).+
            }
        })+
    };
}

pub(super) use of_document;

of_document! {
    CallHierarchyIncomingCallsParams: item.uri;
    CallHierarchyOutgoingCallsParams: item.uri;
    CallHierarchyPrepareParams: text_document_position_params.text_document.uri;
    CompletionParams: text_document_position.text_document.uri;
    DocumentFormattingParams: text_document.uri;
    DocumentHighlightParams: text_document_position_params.text_document.uri;
    DocumentRangeFormattingParams: text_document.uri;
    DocumentSymbolParams: text_document.uri;
    FoldingRangeParams: text_document.uri;
    GotoDefinitionParams: text_document_position_params.text_document.uri;
    HoverParams: text_document_position_params.text_document.uri;
    ReferenceParams: text_document_position.text_document.uri;
    RenameParams: text_document_position.text_document.uri;
    SelectionRangeParams: text_document.uri;
    SemanticTokensRangeParams: text_document.uri;
    SignatureHelpParams: text_document_position_params.text_document.uri;
    TextDocumentIdentifier: uri;
    TextDocumentPositionParams: text_document.uri;
}

/// Parameters that only name a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct DocumentParams {
    pub(super) text_document: TextDocumentIdentifier,
}
