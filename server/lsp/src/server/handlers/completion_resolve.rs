//! `completionItem/resolve`: the page of an opcode, a modifier or a special register.

use super::completion::UnresolvedCompletion;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::plain_text;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CompletionItem, Documentation};

/// Adds the documentation to an item. Returns the item unchanged if it is another server's item or has no
/// documentation.
pub(in crate::server) struct CompletionResolveRequest;

impl Task for CompletionResolveRequest {
    type Params = CompletionItem;
    type Reply = CompletionItem;

    async fn serve(session: &Session, mut item: Self::Params) -> Result<Self::Reply> {
        let Some(Ok(wanted)) = item.data.as_ref().map(UnresolvedCompletion::deserialize) else {
            return Ok(item);
        };
        let label = item.label.clone();
        let uri = wanted.uri.clone();
        let answer = session.documents.answer(&uri, move |view| {
            let page = view.analysis.completion_page(wanted.kind, &label, &wanted.opcode)?;
            Ok(page.map(|page| {
                Documentation::MarkupContent(plain_text::markup(page, view.features.completion_markdown))
            }))
        });
        item.documentation = answer.await?.flatten().or(item.documentation);
        Ok(item)
    }
}
