//! `textDocument/inlayHint`.

use crate::server::abilities::Abilities;
use crate::server::session::Session;
use ropey::Rope;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, MarkupContent, MarkupKind, OneOf,
    ServerCapabilities,
};

pub(in crate::server) fn offer(_: &Abilities, offered: &mut ServerCapabilities) {
    offered.inlay_hint_provider = Some(OneOf::Left(true));
}

/// Hints in the range alone; the rest of the document costs nothing.
pub(in crate::server) async fn handle(
    session: &Session,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let answer = session.answer(&params.text_document.uri, move |view| {
        let mut places = view.places();
        let hints = view.analysis.hints(places.bytes(params.range))?;
        let hints = hints.into_iter().map(|hint| InlayHint {
            position: places.position(hint.offset),
            label: InlayHintLabel::String(hint.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hint.tooltip,
            })),
            padding_left: Some(touches(&view.text, hint.offset.checked_sub(1))),
            padding_right: Some(touches(&view.text, Some(hint.offset))),
            data: None,
        });
        Ok(hints.collect())
    });
    Ok(Some(answer.await?.unwrap_or_default()))
}

/// Whether there is text at a byte that a hint must keep away from.
fn touches(text: &Rope, at: Option<usize>) -> bool {
    at.and_then(|at| text.get_byte(at)).is_some_and(|byte| !byte.is_ascii_whitespace())
}
