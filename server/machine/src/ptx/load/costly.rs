//! Reads `costly.csv` and `capacities.csv`.

use crate::Known;
use crate::load::{DataError, Text, rows};
use crate::ptx::CostlyInstruction;
use rustc_hash::FxHashMap;

/// Returns the rows, by opcode.
pub(super) fn read(text: Text<'_>) -> Result<FxHashMap<Box<str>, Vec<CostlyInstruction>>, DataError> {
    let mut found: FxHashMap<Box<str>, Vec<CostlyInstruction>> = FxHashMap::default();
    let header = ["name", "words", "kind", "instructions", "source"];
    for (_, (name, words, kind, instructions, source)) in rows::<(String, String, _, _, _)>(text, &header)? {
        let words = words.split_whitespace().map(Box::from).collect();
        found.entry(name.into()).or_default().push(CostlyInstruction { words, kind, instructions, source });
    }
    Ok(found)
}

/// The capacity with this name; `None` if the table lacks it.
pub(super) fn capacity(text: Text<'_>, name: &str) -> Result<Option<Known<u32>>, DataError> {
    let rows = rows::<(String, _, _)>(text, &["capacity", "value", "source"])?;
    let found = rows.into_iter().find(|(_, (capacity, ..))| capacity == name);
    Ok(found.map(|(_, (_, value, source))| Known { value, source }))
}
