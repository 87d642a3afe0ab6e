//! Navigation from a name in an `asm` statement to its operand or declaration, and to all references.

use super::at_cursor::CodeAtCursor;
use super::operand;
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::ptx::navigate;
use crate::{NavigationTarget, Reference};
use std::ops::Range;

/// Returns the range of a name, and its definition: the expression of an operand, or the declaration of a
/// register or label. `None` outside of the strings, and for a name that the statement does not declare.
pub(crate) fn definitions(
    view: &CudaView<'_>,
    offset: usize,
) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
    let code = CodeAtCursor::new(view, offset)?;
    let byte = code.name_at(offset)?;
    let (origin, declared) = code.ask(view, |view| navigate::declaration(view, byte))?;
    let target = match code.operand_at(&declared.selection) {
        Some(own) => {
            let (range, selection) = operand::places(code.text(), own);
            NavigationTarget { range: code.in_document(&range), selection: code.in_document(&selection) }
        }
        None => NavigationTarget {
            range: code.place(&declared.range)?,
            selection: code.place(&declared.selection)?,
        },
    };
    Some((code.place(&origin)?, vec![target]))
}

/// Returns all references to the same operand, register or label in the statement, in text order.
pub(crate) fn references(view: &CudaView<'_>, offset: usize) -> Cancellable<Vec<Reference>> {
    let Some(code) = CodeAtCursor::new(view, offset) else { return Ok(Vec::new()) };
    let Some(byte) = code.name_at(offset) else { return Ok(Vec::new()) };
    let found = code.ask(view, |view| navigate::references(view, byte))?;
    let in_document = |reference: Reference| {
        let range = match code.operand_at(&reference.range) {
            Some(own) => code.in_document(&operand::places(code.text(), own).1),
            None => code.place(&reference.range)?,
        };
        Some(Reference { range, usage: reference.usage })
    };
    let mut found: Vec<Reference> = found.into_iter().filter_map(in_document).collect();
    found.sort_by_key(|reference| reference.range.start);
    Ok(found)
}
