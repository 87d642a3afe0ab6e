//! Hover: what the text at a place means. What the cursor is on comes first, then the whole instruction.

mod instruction;
mod literals;
mod names;
mod words;

use crate::Hover;
use crate::cancel::Answer;
use crate::ptx::view::{Place, View, placed};
use std::fmt::Write;
use syntax::ptx::{FunctionKind, Statement, StatementKind, Token, TokenKind};

pub(crate) fn hover(view: &View<'_>, offset: usize) -> Answer<Option<Hover>> {
    view.cancel.check()?;
    let Some(at) = view.place(offset).and_then(|place| At::of(view, place)) else { return Ok(None) };
    let mut text = Text::default();
    at.under_cursor(&mut text);
    if let StatementKind::Instruction { .. } = at.statement.kind {
        if !text.markdown.is_empty() {
            text.line("\n---\n");
        }
        instruction::write(&at, &mut text);
        let statement = at.place.item.statement_at(at.token.start);
        let asked = statement.filter(|_| at.is_on_opcode());
        if let Some(cost) = asked.and_then(|statement| super::cost::cost(view, at.place.index, statement)) {
            text.line("\n---\n");
            let start = text.markdown.len();
            text.line(&cost.markdown);
            text.links.extend(cost.links.iter().map(|link| start + link));
        }
    }
    if at.names_kernel()
        && let Some(cost) = super::cost::of_kernel(view, at.place.index)?
    {
        text.line("\n---\n");
        text.line(&cost);
    }
    let range = placed(at.place.start, &(at.token.start..at.token.end()));
    let found = !text.markdown.trim().is_empty();
    Ok(found.then_some(Hover { range, markdown: text.markdown, links: text.links }))
}

/// The token at the cursor and where it stands.
struct At<'v, 'a> {
    view: &'v View<'a>,
    place: Place<'a>,
    statement: &'a Statement,
    /// Index of the token among the item's.
    index: usize,
    token: &'a Token,
}

impl<'v, 'a> At<'v, 'a> {
    fn of(view: &'v View<'a>, place: Place<'a>) -> Option<Self> {
        let index = place.token_index()?;
        let token = &place.item.tokens()[index];
        let statement = &place.item.statements()[place.item.statement_at(token.start)?];
        Some(Self { view, place, statement, index, token })
    }

    fn word(&self) -> &'a str {
        self.place.item.token_text(self.token)
    }

    /// True on the opcode, a modifier of it or the guard's `@`: the instruction as a whole is asked about.
    fn is_on_opcode(&self) -> bool {
        let StatementKind::Instruction { opcode, operands } = self.statement.kind else { return false };
        (opcode as usize..operands as usize).contains(&self.index) || self.token.is(b'@')
    }

    /// True on the name that a kernel is declared by.
    fn names_kernel(&self) -> bool {
        let function = self.place.item.function().filter(|function| function.kind == FunctionKind::Entry);
        function.and_then(|function| function.name).is_some_and(|name| name as usize == self.index)
    }

    /// Explains the word under the cursor by itself, where that says more than its instruction does.
    fn under_cursor(&self, text: &mut Text) {
        match self.token.kind {
            TokenKind::Name | TokenKind::Label => names::write(self, text),
            TokenKind::Integer | TokenKind::Float => {
                if let StatementKind::Directive = self.statement.kind {
                    words::location(self, text);
                }
                if text.markdown.is_empty() {
                    text.line(&literals::number(self.word()));
                }
            }
            TokenKind::Directive => words::directive(self, text),
            TokenKind::Modifier => words::selector(self, text),
            TokenKind::String => words::location(self, text),
            _ => {}
        }
    }
}

/// The text so far, and the places of links in it.
#[derive(Default)]
struct Text {
    markdown: String,
    links: Vec<usize>,
}

impl Text {
    fn line(&mut self, line: &str) {
        self.markdown.push_str(line);
        self.markdown.push('\n');
    }

    /// A line's number that leads there.
    fn link(&mut self, line: u32) {
        let _ = write!(self.markdown, "[line {line}](");
        self.links.push(self.markdown.len());
        let _ = write!(self.markdown, "#L{line})");
    }
}
