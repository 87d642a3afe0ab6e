//! Removes the statement that the user is typing from an item.

use super::{Item, Module};
use std::ops::Range;
use std::sync::Arc;

/// Returns the item with each statement that does not parse replaced by blanks, and the byte ranges of these
/// statements. Such a statement is usually one that the user is typing. All other bytes keep their positions. `None`
/// if every statement parses, or if the item has errors even without these statements.
pub fn without_unfinished(item: &Item) -> Option<(Arc<Item>, Vec<Range<u32>>)> {
    let mut text = item.text.as_bytes().to_vec();
    let mut blanked: Vec<Range<u32>> = Vec::new();
    for error in &item.errors {
        let statement = item.range(&item.statements[item.statement_at(error.range.start)?]);
        let bytes = statement.start..statement.end.max(error.range.end).min(text.len() as u32);
        for byte in &mut text[bytes.start as usize..bytes.end as usize] {
            if !byte.is_ascii_whitespace() {
                *byte = b' ';
            }
        }
        blanked.push(bytes);
    }
    let module = Module::parse(std::str::from_utf8(&text).ok()?);
    let is_read = |read: &&Arc<Item>| read.errors.is_empty() && read.text.len() == text.len();
    let read = module.items().first().filter(is_read)?;
    (!blanked.is_empty()).then(|| (Arc::clone(read), blanked))
}
