//! The token that a hover explains, and the text of the hover.

use crate::ptx::view::{Position, View};
use std::fmt::Write;
use syntax::ptx::{FunctionKind, Statement, StatementKind, Token};

/// The token at the cursor, with its position.
pub(super) struct TokenAtCursor<'v, 'a> {
    pub(super) view: &'v View<'a>,
    pub(super) place: Position<'a>,
    pub(super) statement: &'a Statement,
    /// Index of the token in the item.
    pub(super) index: usize,
    pub(super) token: &'a Token,
}

impl<'v, 'a> TokenAtCursor<'v, 'a> {
    pub(super) fn new(view: &'v View<'a>, place: Position<'a>) -> Option<Self> {
        let index = place.token_index()?;
        let token = &place.item.tokens()[index];
        let statement = &place.item.statements()[place.item.statement_at(token.start)?];
        Some(Self { view, place, statement, index, token })
    }

    pub(super) fn word(&self) -> &'a str {
        self.place.item.token_text(self.token)
    }

    /// True if the cursor is on the opcode, a modifier or the `@` of the guard. The hover then explains the entire
    /// instruction.
    pub(super) fn is_on_opcode(&self) -> bool {
        let StatementKind::Instruction { opcode, operands } = self.statement.kind else { return false };
        (opcode as usize..operands as usize).contains(&self.index) || self.token.is(b'@')
    }

    /// True if the cursor is on the name of a kernel in the kernel's declaration.
    pub(super) fn names_kernel(&self) -> bool {
        let function = self.place.item.function().filter(|function| function.kind == FunctionKind::Entry);
        function.and_then(|function| function.name).is_some_and(|name| name as usize == self.index)
    }
}

/// Markdown of a hover, and the offsets of its links.
#[derive(Default)]
pub(super) struct HoverText {
    pub(super) markdown: String,
    pub(super) links: Vec<usize>,
}

impl HoverText {
    pub(super) fn line(&mut self, line: &str) {
        self.markdown.push_str(line);
        self.markdown.push('\n');
    }

    /// Appends a line number that links to its line.
    pub(super) fn link(&mut self, line: u32) {
        let _ = write!(self.markdown, "[line {line}](");
        self.links.push(self.markdown.len());
        let _ = write!(self.markdown, "#L{line})");
    }
}
