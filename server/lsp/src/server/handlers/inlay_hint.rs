//! `textDocument/inlayHint`.

use crate::server::abilities::Abilities;
use crate::server::session::Session;
use ropey::Rope;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintLabel, InlayHintOptions, InlayHintParams, InlayHintServerCapabilities,
    InlayHintTooltip, MarkupContent, MarkupKind, OneOf, ServerCapabilities, Uri,
};

/// The tooltip is most of a hint; a client that can ask for it later gets it when it is looked at.
pub(in crate::server) fn offer(client: &Abilities, offered: &mut ServerCapabilities) {
    offered.inlay_hint_provider = Some(if client.lazy_tooltips {
        OneOf::Right(InlayHintServerCapabilities::Options(InlayHintOptions {
            resolve_provider: Some(true),
            ..InlayHintOptions::default()
        }))
    } else {
        OneOf::Left(true)
    });
}

/// Which hint a tooltip is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Unresolved {
    pub(super) uri: Uri,
    pub(super) version: i32,
    /// The byte it stands before, and which of the hints there it is.
    pub(super) offset: usize,
    pub(super) nth: usize,
}

/// Hints in the range alone; the rest of the document costs nothing.
pub(in crate::server) async fn handle(
    session: &Session,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let answer = session.answer(&params.text_document.uri, move |view| {
        let mut places = view.places();
        let hints = view.analysis.hints(places.bytes(params.range))?;
        let lazy = view.abilities.lazy_tooltips;
        let mut last = (usize::MAX, 0);
        let hints = hints.into_iter().map(|hint| {
            last = if last.0 == hint.offset { (hint.offset, last.1 + 1) } else { (hint.offset, 0) };
            let unresolved =
                || Unresolved { uri: view.uri.clone(), version: view.version, offset: last.0, nth: last.1 };
            InlayHint {
                position: places.position(hint.offset),
                label: InlayHintLabel::String(hint.label),
                kind: None,
                text_edits: None,
                tooltip: (!lazy).then(|| tooltip(hint.tooltip)),
                padding_left: Some(touches(&view.text, hint.offset.checked_sub(1))),
                padding_right: Some(touches(&view.text, Some(hint.offset))),
                data: if lazy { serde_json::to_value(unresolved()).ok() } else { None },
            }
        });
        Ok(hints.collect())
    });
    Ok(Some(answer.await?.unwrap_or_default()))
}

pub(super) fn tooltip(markdown: String) -> InlayHintTooltip {
    InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: markdown })
}

/// Whether there is text at a byte that a hint must keep away from.
fn touches(text: &Rope, at: Option<usize>) -> bool {
    at.and_then(|at| text.get_byte(at)).is_some_and(|byte| !byte.is_ascii_whitespace())
}
