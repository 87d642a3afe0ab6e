//! `textDocument/inlayHint`.

use crate::server::documents::work::{Outcome, View};
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::job_limits::Urgency;
use crate::server::transport::stale::StaleDisplay;
use ropey::Rope;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintLabel, InlayHintOptions, InlayHintParams, InlayHintServerCapabilities,
    InlayHintTooltip, MarkupContent, MarkupKind, OneOf, Range, ServerCapabilities, Uri,
};

/// Offers hints. Tooltips are the largest part of hints, so a client that can resolve them later gets each tooltip
/// only when its hint is shown.
pub(in crate::server) fn offer(client: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.inlay_hint_provider = Some(if client.lazy_tooltips {
        OneOf::Right(InlayHintServerCapabilities::Options(InlayHintOptions {
            resolve_provider: Some(true),
            ..InlayHintOptions::default()
        }))
    } else {
        OneOf::Left(true)
    });
}

/// Identifies the hint whose tooltip is requested.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnresolvedHint {
    pub(super) uri: Uri,
    pub(super) version: i32,
    /// The byte offset that the hint precedes; `nth` is the hint's index among the hints at this offset.
    pub(super) offset: usize,
    pub(super) nth: usize,
}

/// Maximum number of lines in a range for which hints are sent with their tooltips. A tooltip takes about 1 KB.
const MAX_LINES_WITH_TOOLTIPS: u32 = 50_000; // limit: 50 MB of tooltips

/// Maximum number of hints in an answer. Hints on later lines are omitted. A hint takes about 2 KB.
const MAX_HINTS: usize = 150_000; // limit: 300 MB of hints

/// Computes only the hints in the range. For a long function that has just been edited, sends preliminary
/// hints and makes the client request them again once the final hints are computed.
pub(in crate::server) struct InlayHintRequest;

impl Task for InlayHintRequest {
    type Params = InlayHintParams;
    type Reply = Option<Vec<InlayHint>>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let (uri, range) = (params.text_document.uri, params.range);
        let answer = session.documents.answer(&uri, move |view| {
            let mut places = view.places();
            let lines = line_count(&range, &view.text);
            let range = places.bytes(range);
            let lazy = view.features.lazy_tooltips;
            let has_tooltips = !lazy && lines <= MAX_LINES_WITH_TOOLTIPS;
            // Only a client that supports refresh requests may be shown hints that are not final.
            let early = if view.features.refreshes_hints {
                view.analysis.early_hints(range.clone(), has_tooltips)?
            } else {
                None
            };
            let is_early = early.is_some();
            let hints = match early {
                Some(early) => early,
                None if has_tooltips => view.analysis.hints(range)?,
                None => view.analysis.hint_labels(range)?,
            };
            let mut last = (usize::MAX, 0);
            let hints = hints.into_iter().take(MAX_HINTS).map(|hint| {
                last = if last.0 == hint.offset { (hint.offset, last.1 + 1) } else { (hint.offset, 0) };
                let unresolved = || UnresolvedHint {
                    uri: view.uri.clone(),
                    version: view.version,
                    offset: last.0,
                    nth: last.1,
                };
                InlayHint {
                    position: places.position(hint.offset),
                    label: InlayHintLabel::String(hint.label),
                    kind: None,
                    text_edits: None,
                    tooltip: has_tooltips.then(|| tooltip(hint.tooltip)),
                    padding_left: Some(touches(&view.text, hint.offset.checked_sub(1))),
                    padding_right: Some(touches(&view.text, Some(hint.offset))),
                    data: if lazy { serde_json::to_value(unresolved()).ok() } else { None },
                }
            });
            Ok((hints.collect(), is_early))
        });
        let (hints, is_early) = answer.await?.unwrap_or_default();
        if is_early {
            tokio::spawn(finish(session.clone(), uri, range));
        }
        Ok(Some(hints))
    }
}

/// Number of lines in a range of a text. The range's end may be after the end of the text.
fn line_count(range: &Range, text: &Rope) -> u32 {
    let last = u32::try_from(text.len_lines()).unwrap_or(u32::MAX);
    range.end.line.min(last).saturating_sub(range.start.line)
}

/// Computes the final hints of a range, and makes the client request them.
async fn finish(session: Session, uri: Uri, range: Range) {
    let Some(turn) = session.documents.begin_finishing(&uri) else { return };
    let job = move |view: &View| {
        let range = view.places().bytes(range);
        view.analysis.hint_labels(range).map(drop)
    };
    let done = session.documents.work(&uri, Urgency::Following, job).await;
    session.documents.end_finishing(&uri, turn);
    if matches!(done, Outcome::Done(())) {
        session.documents.refresh(StaleDisplay { hints: true, lenses: false, findings: false });
    }
}

pub(super) fn tooltip(markdown: String) -> InlayHintTooltip {
    InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: markdown })
}

/// True if the character at a byte offset is not white space, so a hint next to it needs a blank.
fn touches(text: &Rope, at: Option<usize>) -> bool {
    at.and_then(|at| text.get_byte(at)).is_some_and(|byte| !byte.is_ascii_whitespace())
}
