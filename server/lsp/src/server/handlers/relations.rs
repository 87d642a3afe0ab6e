//! `warplens/relations`: the producers and consumers of the instruction at a position, and the live ranges of its
//! registers.
//!
//! Parameters: `textDocument` and `position`. Result: `{line, producers, consumers, registers}`: each producer and
//! consumer `{line, words}` with the registers that they share, each register `{name, from, to}` with the first and the
//! last line of its value's live range. Lines count from 0. Null at a position without an instruction.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::position::PositionConverter;
use ide::{RegisterLife, RelatedInstruction};
use serde::Serialize;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

#[derive(Debug, Serialize)]
pub(in crate::server) struct RelationsReply {
    line: u32,
    producers: Vec<RelatedLine>,
    consumers: Vec<RelatedLine>,
    registers: Vec<LiveRange>,
}

#[derive(Debug, Serialize)]
struct RelatedLine {
    line: u32,
    words: String,
}

#[derive(Debug, Serialize)]
struct LiveRange {
    name: String,
    from: u32,
    to: u32,
}

pub(in crate::server) struct RelationsRequest;

impl Snapshot for RelationsRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<RelationsReply>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.position);
        let Some(found) = view.analysis.relations(offset)? else { return Ok(None) };
        Ok(Some(RelationsReply {
            line: places.range(&found.range).start.line,
            producers: lines(places, found.producers),
            consumers: lines(places, found.consumers),
            registers: found.lives.into_iter().map(|life| lived(places, life)).collect(),
        }))
    }
}

fn lines(places: &mut PositionConverter<'_>, relatives: Vec<RelatedInstruction>) -> Vec<RelatedLine> {
    let line = |own: RelatedInstruction| RelatedLine {
        line: places.range(&own.range).start.line,
        words: own.registers,
    };
    relatives.into_iter().map(line).collect()
}

fn lived(places: &mut PositionConverter<'_>, life: RegisterLife) -> LiveRange {
    let mut line = |range: &std::ops::Range<usize>| places.range(range).start.line;
    LiveRange { from: line(&life.first), to: line(&life.last), name: life.register }
}
