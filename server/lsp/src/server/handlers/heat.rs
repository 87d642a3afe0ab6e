//! `warplens/heat`: the share of the samples that each line has by the attached profiles, for a gutter.
//!
//! Parameters: `textDocument`. Result: `{lines}`, each `{line, share, isStale}`: the line from 0, the share 0 to 1. Null for a document
//! that is not open.

use crate::server::session::Session;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct Params {
    text_document: TextDocumentIdentifier,
}

#[derive(Debug, Serialize)]
pub(in crate::server) struct Answer {
    lines: Vec<LineHeat>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LineHeat {
    line: u32,
    share: f64,
    is_stale: bool,
}

pub(in crate::server) async fn handle(session: &Session, params: Params) -> Result<Option<Answer>> {
    let answer = session.answer(&params.text_document.uri, |view| {
        let heat = view.analysis.heat()?;
        let mut places = view.places();
        let lines = heat.into_iter().map(|own| LineHeat {
            line: places.range(&own.range).start.line,
            share: own.share,
            is_stale: own.is_stale,
        });
        Ok(Answer { lines: lines.collect() })
    });
    answer.await
}
