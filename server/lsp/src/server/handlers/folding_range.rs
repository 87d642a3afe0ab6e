//! `textDocument/foldingRange`.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use ide::FoldKind;
use tower_lsp_server::ls_types::{
    FoldingRange, FoldingRangeKind, FoldingRangeParams, FoldingRangeProviderCapability, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.folding_range_provider = Some(FoldingRangeProviderCapability::Simple(true));
}

/// Folds of more than one line, up to the client's limit.
pub(in crate::server) struct FoldingRangeRequest;

impl Snapshot for FoldingRangeRequest {
    type Params = FoldingRangeParams;
    type Reply = Option<Vec<FoldingRange>>;

    fn reply(view: &View, _: &Self::Params) -> Result<Self::Reply, NoReply> {
        let mut places = view.places();
        let whole_lines = view.features.whole_line_folds;
        let folds = view.analysis.folds()?.into_iter().filter_map(|fold| {
            let range = places.range(&fold.range);
            // The range's end may be the start of the line after the last.
            let ends_before = range.end.character == 0 && range.end.line > range.start.line;
            let end_line = if ends_before { range.end.line - 1 } else { range.end.line };
            let end_character = if ends_before { None } else { Some(range.end.character) };
            (end_line > range.start.line).then_some(FoldingRange {
                start_line: range.start.line,
                start_character: if whole_lines { None } else { Some(range.start.character) },
                end_line,
                end_character: if whole_lines { None } else { end_character },
                kind: Some(match fold.kind {
                    FoldKind::Region => FoldingRangeKind::Region,
                    FoldKind::Comment => FoldingRangeKind::Comment,
                }),
                collapsed_text: None,
            })
        });
        Ok(Some(folds.take(view.features.max_folds.unwrap_or(usize::MAX)).collect()))
    }

    fn without_document() -> Self::Reply {
        Some(Vec::new())
    }
}
