//! `warplens/heat`: each line's share of the time, measured by attached profiles or predicted, for a gutter.
//!
//! Parameters: `textDocument` and, optionally, `range`: shares are predicted for the kernels that overlap `range`, or
//! for all kernels if it is absent. Kernels after the first 20,000 instructions or so are omitted. Result:
//! `{source, isMeasured, lines}`, each line `{line, share, isStale, words}`: the line counted from 0, the share from
//! 0 to 1, and one line of plain text. Null if the document is not open, or if no shares are known.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::handlers::of_document::of_document;
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{Range, TextDocumentIdentifier};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct HeatParams {
    text_document: TextDocumentIdentifier,
    range: Option<Range>,
}

of_document! { HeatParams: text_document.uri; }

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct HeatReply {
    source: String,
    is_measured: bool,
    lines: Vec<LineHeat>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LineHeat {
    line: u32,
    share: f64,
    is_stale: bool,
    words: String,
}

pub(in crate::server) struct HeatRequest;

impl Snapshot for HeatRequest {
    type Params = HeatParams;
    type Reply = Option<HeatReply>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let mut places = view.places();
        let range = match params.range {
            Some(range) => places.offset(range.start)..places.offset(range.end),
            None => 0..view.text.len_bytes(),
        };
        let Some(heat) = view.analysis.heat(&range)? else { return Ok(None) };
        let lines = heat.lines.into_iter().map(|own| LineHeat {
            line: places.range(&own.range).start.line,
            share: own.share,
            is_stale: own.is_stale,
            words: own.words,
        });
        Ok(Some(HeatReply { source: heat.source, is_measured: heat.is_measured, lines: lines.collect() }))
    }
}
