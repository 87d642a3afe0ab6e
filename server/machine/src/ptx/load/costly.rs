//! `costly.csv` and `capacities.csv`.

use crate::load::{DataError, Text, rows};
use crate::ptx::{CostKind, Costly};
use crate::{Known, Source};
use rustc_hash::FxHashMap;
use serde::Deserialize;

#[derive(Deserialize)]
struct CostlyRow {
    name: String,
    words: String,
    kind: String,
    instructions: Option<u32>,
    source: String,
}

#[derive(Deserialize)]
struct CapacityRow {
    capacity: String,
    value: u32,
    source: String,
}

/// The rows, by opcode.
pub(super) fn read(text: Text<'_>) -> Result<FxHashMap<Box<str>, Vec<Costly>>, DataError> {
    let mut found: FxHashMap<Box<str>, Vec<Costly>> = FxHashMap::default();
    let header = ["name", "words", "kind", "instructions", "source"];
    for (line, row) in rows::<CostlyRow>(text, &header)? {
        let kind = match &*row.kind {
            "division" => CostKind::Division,
            "rounding" => CostKind::Rounding,
            "double" => CostKind::Double,
            other => return Err(text.error(line, format!("a kind like `division`, not `{other}`"))),
        };
        let words = row.words.split_whitespace().map(Box::from).collect();
        let source = source(text, line, &row.source)?;
        let costly = Costly { words, kind, instructions: row.instructions, source };
        found.entry(row.name.into()).or_default().push(costly);
    }
    Ok(found)
}

/// The capacity of that name.
pub(super) fn capacity(text: Text<'_>, name: &str) -> Result<Option<Known<u32>>, DataError> {
    for (line, row) in rows::<CapacityRow>(text, &["capacity", "value", "source"])? {
        if row.capacity == name {
            return Ok(Some(Known { value: row.value, source: source(text, line, &row.source)? }));
        }
    }
    Ok(None)
}

fn source(text: Text<'_>, line: usize, words: &str) -> Result<Source, DataError> {
    words.parse().map_err(|error: crate::SourceSyntax| text.error(line, error.to_string()))
}
