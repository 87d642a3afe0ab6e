//! Moves values to other registers before control codes are computed, so that fewer operands conflict
//! in a register bank.

use super::unscheduled::UnscheduledKernel;
use crate::TextEdit;
use crate::engine::sass_text::with_chunk;
use model::Program;
use model::schedule::{Renaming, renamings};
use syntax::sass::rewrite::{self, NewRegister, apply};
use syntax::sass::{Chunk, TokenKind};

/// Renames registers to reduce bank conflicts. A value is not moved if the encoding bits of its
/// register are uncertain.
pub(super) fn rename(kernel: &mut UnscheduledKernel<'_>) {
    let is_result = |inst, operand| kernel.program.is_result(inst, operand);
    let is_sure = |renaming: &Renaming| {
        let new = new_registers(kernel.given, renaming);
        new.is_some_and(|new| rewrite::is_sure(kernel.given, &new, is_result))
    };
    let renamings = renamings(&kernel.program, is_sure);
    let new: Vec<NewRegister> =
        renamings.iter().filter_map(|renaming| new_registers(kernel.given, renaming)).flatten().collect();
    let Ok(replacements) = rewrite::rename(kernel.given, &new, is_result) else { return };
    let text = apply(kernel.given.text(), &replacements);
    let before = kernel.sass.listing();
    let after = with_chunk(before, kernel.index, &text);
    let Some(chunk) = after.chunks().get(kernel.index) else { return };
    if chunk.instructions().len() == kernel.given.instructions().len() && after.dialect() == before.dialect()
    {
        kernel.program = Program::decode(chunk, &kernel.arch);
        kernel.renamed = renamings.len();
        kernel.chunk = chunk.clone();
    }
}

/// Words that name a value, each with its new register; `None` unless each operand names the value
/// exactly once.
fn new_registers(chunk: &Chunk, renaming: &Renaming) -> Option<Vec<NewRegister>> {
    let new = |&(inst, operand): &(u32, u8)| {
        let operand = chunk.operands(&chunk.instructions()[inst as usize]).nth(operand.into())?;
        let mut tokens = operand.iter().filter(|token| {
            token.kind == TokenKind::Register && token.value == u32::from(renaming.from.index)
        });
        let token = *tokens.next()?;
        tokens.next().is_none().then_some(NewRegister { inst, token, index: renaming.to.index })
    };
    renaming.places.iter().map(new).collect()
}

/// Returns the edits, in text order, that turn `old` into `new`. `old` begins at offset `start`. Texts
/// with equal line counts get one edit per changed line, other texts get a single edit.
pub(super) fn changed_lines(start: usize, old: &str, new: &str) -> Vec<TextEdit> {
    if old.lines().count() != new.lines().count() {
        return vec![TextEdit { range: start..start + old.len(), text: new.to_owned() }];
    }
    let mut at = start;
    let mut edits = Vec::new();
    for (old, new) in old.split_inclusive('\n').zip(new.split_inclusive('\n')) {
        if old != new {
            edits.push(TextEdit { range: at..at + old.len(), text: new.to_owned() });
        }
        at += old.len();
    }
    edits
}
