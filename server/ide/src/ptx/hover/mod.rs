//! Hover: cost of the instruction, meaning of the token under the cursor, and explanation of the
//! instruction.

mod instruction;
mod literals;
mod names;
mod token_at_cursor;
mod words;

use crate::Hover;
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use syntax::ptx::{StatementKind, TokenKind};
use token_at_cursor::{HoverText, TokenAtCursor};

pub(crate) fn hover(view: &View<'_>, offset: usize) -> Cancellable<Option<Hover>> {
    let Some(at) = view.place(offset).and_then(|place| TokenAtCursor::new(view, place)) else {
        return Ok(None);
    };
    let mut text = HoverText::default();
    if let StatementKind::Instruction { .. } = at.statement.kind {
        let statement = at.place.item.statement_at(at.token.start);
        let asked = statement.filter(|_| at.is_on_opcode());
        let cost = asked.map(|statement| super::cost::cost(view, at.place.index, statement));
        if let Some(cost) = cost.transpose()?.flatten() {
            text.line(&cost.markdown);
            text.links.extend(cost.links);
            text.line("\n---\n");
        }
    }
    let mut meaning = HoverText::default();
    under_cursor(&at, &mut meaning);
    instruction_of(&at, &mut meaning);
    let start = text.markdown.len();
    text.markdown.push_str(&meaning.markdown);
    text.links.extend(meaning.links.iter().map(|link| start + link));
    if at.names_kernel()
        && let Some(cost) = super::cost::of_kernel(view, at.place.index)?
    {
        text.line("\n---\n");
        text.line(&cost);
    }
    Ok(shown(&at, text))
}

/// Hover with the meaning of the token at an offset, without costs.
pub(crate) fn meaning(view: &View<'_>, offset: usize) -> Option<Hover> {
    let at = TokenAtCursor::new(view, view.place(offset)?)?;
    let mut text = HoverText::default();
    under_cursor(&at, &mut text);
    instruction_of(&at, &mut text);
    shown(&at, text)
}

/// Appends an explanation of the instruction if the cursor is in an instruction.
fn instruction_of(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    if let StatementKind::Instruction { .. } = at.statement.kind {
        if !text.markdown.is_empty() {
            text.line("\n---\n");
        }
        instruction::write(at, text);
    }
}

fn shown(at: &TokenAtCursor<'_, '_>, text: HoverText) -> Option<Hover> {
    let range = placed(at.place.start, &(at.token.start..at.token.end()));
    let found = !text.markdown.trim().is_empty();
    found.then_some(Hover { range, markdown: text.markdown, links: text.links })
}

/// Explains the token under the cursor if it is a name, number, directive, selector or string.
fn under_cursor(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    match at.token.kind {
        TokenKind::Name | TokenKind::Label => names::write(at, text),
        TokenKind::Integer | TokenKind::Float => {
            if let StatementKind::Directive = at.statement.kind {
                words::location(at, text);
            }
            if text.markdown.is_empty() {
                text.line(&literals::number(at.word()));
            }
        }
        TokenKind::Directive => words::directive(at, text),
        TokenKind::Modifier => words::selector(at, text),
        TokenKind::String => words::location(at, text),
        _ => {}
    }
}
