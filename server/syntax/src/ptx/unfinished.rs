//! Items read without the statement that is being typed.

use super::{Item, Module};
use std::ops::Range;
use std::sync::Arc;

/// Returns the item with blanks in place of the statements that cannot be read, which are one unfinished statement while it is being
/// typed, and the bytes of those. All other bytes stay where they are. `None` where there are no such statements, or where what is left cannot be
/// read either.
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
