//! Reading of items without the statement that is being typed.

use super::{Item, Module};
use std::ops::Range;
use std::sync::Arc;

/// Returns the item with its unreadable statements replaced by blanks, and their byte ranges. While a user types, that
/// is the unfinished statement. All other bytes keep their positions. `None` if there are no such statements, or if the
/// rest cannot be read either.
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
