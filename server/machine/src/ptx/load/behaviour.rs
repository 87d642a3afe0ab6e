//! `behaviour.csv`.

use crate::load::{DataError, Text, rows};
use crate::ptx::behaviour::Row;
use crate::ptx::{Behaviour, ControlFlow, ResultSpread, Spread, Together};
use rustc_hash::FxHashMap;
use serde::Deserialize;

#[derive(Deserialize)]
struct TextRow {
    name: String,
    words: String,
    flow: String,
    together: String,
    result: String,
}

/// The rows, by opcode.
pub(super) fn read(text: Text<'_>) -> Result<FxHashMap<Box<str>, Vec<Row>>, DataError> {
    let mut found: FxHashMap<Box<str>, Vec<Row>> = FxHashMap::default();
    for (line, row) in rows::<TextRow>(text, &["name", "words", "flow", "together", "result"])? {
        let mut name = row.name.split('.');
        let opcode = name.next().unwrap_or_default();
        let behaviour = behaviour(&row).map_err(|expected| text.error(line, expected))?;
        let words = row.words.split_whitespace().map(Box::from).collect();
        let row = Row { first: name.map(Box::from).collect(), words, behaviour };
        found.entry(opcode.into()).or_default().push(row);
    }
    Ok(found)
}

fn behaviour(row: &TextRow) -> Result<Behaviour, String> {
    let flow = match &*row.flow {
        "" => ControlFlow::Next,
        "jump" => ControlFlow::Jump,
        "return" => ControlFlow::Return,
        "end" => ControlFlow::End,
        other => return Err(format!("`jump`, `return` or `end`, not `{other}`")),
    };
    let together = match &*row.together {
        "" => None,
        "warp" => Some(Together::Warp),
        "block" => Some(Together::Block),
        "threads" => Some(Together::Threads),
        other => return Err(format!("`warp`, `block` or `threads`, not `{other}`")),
    };
    let result = match &*row.result {
        "" => ResultSpread::Operands,
        "lane" => ResultSpread::AtLeast(Spread::Lanes),
        "warp" => ResultSpread::Fixed(Spread::Warps),
        "block" => ResultSpread::Fixed(Spread::Same),
        "broadcast" => ResultSpread::Broadcast,
        "shifted" => ResultSpread::Shifted,
        "divided" => ResultSpread::Divided,
        "masked" => ResultSpread::Masked,
        "below" => ResultSpread::Below,
        "above" => ResultSpread::Above,
        other => return Err(format!("a spread like `lane` or `shifted`, not `{other}`")),
    };
    Ok(Behaviour { flow, together, result })
}
