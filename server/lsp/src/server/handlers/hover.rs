//! `textDocument/hover`.

use crate::server::abilities::Abilities;
use crate::server::plain_text;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, MarkupContent, MarkupKind, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &Abilities, offered: &mut ServerCapabilities) {
    offered.hover_provider = Some(HoverProviderCapability::Simple(true));
}

pub(in crate::server) async fn handle(session: &Session, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let answer = session.answer(&at.text_document.uri, move |view| {
        let mut places = view.places();
        let offset = places.offset(at.position);
        let Some(hover) = view.analysis.hover(offset)? else { return Ok(None) };
        let contents = if view.abilities.hover_markdown {
            MarkupContent { kind: MarkupKind::Markdown, value: hover.markdown }
        } else {
            MarkupContent { kind: MarkupKind::PlainText, value: plain_text::of_markdown(&hover.markdown) }
        };
        Ok(Some(Hover { contents: HoverContents::Markup(contents), range: Some(places.range(&hover.range)) }))
    });
    Ok(answer.await?.flatten())
}
