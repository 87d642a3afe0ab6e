//! Fast path for an edit within one instruction. Only that instruction is read again, even in a long function.

use super::parse::{self, line_ends};
use super::{Item, Module, Statement, StatementKind, SyntaxError, Token, TokenRange};
use std::ops::Range;
use std::sync::Arc;

/// Change by an edit that touched a single instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionEdit {
    /// Index of the item.
    pub item: usize,
    /// Hash of the item's text before the edit.
    pub before: u64,
    /// Index of the instruction among the item's statements, the same before and after the edit.
    pub statement: u32,
    /// Number of tokens that the instruction gained; negative if the instruction lost tokens.
    pub grown: i32,
}

impl Module {
    /// Returns the change by the last edit if it touched a single instruction.
    pub fn respelled(&self) -> Option<InstructionEdit> {
        self.respelled
    }

    /// The module after an edit within one instruction; `None` for any other edit.
    pub(super) fn respell(&self, range: &Range<usize>, text: &str) -> Option<Self> {
        let index = self.item_at(range.start)?;
        if self.first_reached(range.start) != index {
            return None;
        }
        let (old, start) = (&self.items[index], self.start(index).byte as usize);
        let (item, statement, grown) = respell(old, range.start - start..range.end - start, text)?;
        let mut items = self.items.clone();
        items[index] = Arc::new(item);
        let respelled = InstructionEdit { item: index, before: old.hash, statement, grown };
        let mut module = Self::from_items(items, 1);
        module.respelled = Some(respelled);
        Some(module)
    }
}

/// Returns the item with a changed instruction, the instruction's index, and the number of tokens gained.
/// `None` if the edit may affect more than the instruction.
fn respell(item: &Item, range: Range<usize>, text: &str) -> Option<(Item, u32, i32)> {
    let at = item.statement_at(range.start as u32)?;
    let old = item.statements[at];
    let bytes = item.range(&old);
    let last = item.tokens_of(old.tokens).last()?;
    let is_within = matches!(old.kind, StatementKind::Instruction { .. })
        && last.is(b';')
        && range.end <= last.start as usize
        && ends_by_itself(item, at.checked_sub(1)?)
        && !touches(item.comments.iter().map(Token::range), &bytes)
        && !touches(
            item.errors.iter().map(|error| error.range.start as usize..error.range.end as usize),
            &bytes,
        );
    if !is_within {
        return None;
    }
    let before = &item.text[bytes.start as usize..bytes.end as usize];
    let mut words = before.to_owned();
    words.replace_range(range.start - bytes.start as usize..range.end - bytes.start as usize, text);
    if words == before {
        return None;
    }
    let (tokens, read) = parse::instruction(&words)?;
    let shift = Shift {
        from: bytes.end,
        bytes: words.len() as i32 - before.len() as i32,
        tokens: tokens.len() as i32 - (old.tokens.end - old.tokens.start) as i32,
    };
    let whole = [&item.text[..bytes.start as usize], &*words, &item.text[bytes.end as usize..]].concat();
    let lines = item.lines + line_ends(words.as_bytes()) - line_ends(before.as_bytes());
    let all = tokens.into_iter().map(|token| Token { start: token.start + bytes.start, ..token });
    let all = item.tokens[..old.tokens.start as usize].iter().copied().chain(all);
    let following = item.tokens[old.tokens.end as usize..].iter().map(|token| shift.token(token));
    let new = Shift { from: 0, bytes: 0, tokens: old.tokens.start as i32 }.statement(&read);
    let statements = item.statements[..at].iter().copied().chain([new]);
    let read = Item {
        tokens: all.chain(following).collect(),
        comments: item.comments.iter().map(|comment| shift.token(comment)).collect(),
        statements: statements
            .chain(item.statements[at + 1..].iter().map(|one| shift.statement(one)))
            .collect(),
        errors: item.errors.iter().map(|error| shift.error(error)).collect(),
        lines,
        reach: item.reach.checked_add_signed(shift.bytes as isize)?,
        hash: Item::hash_of(&whole),
        text: whole.into(),
        ..*item
    };
    Some((read, at as u32, shift.tokens))
}

/// True if the end of a statement does not depend on the text after it.
fn ends_by_itself(item: &Item, statement: usize) -> bool {
    let statement = &item.statements[statement];
    match statement.kind {
        StatementKind::Label | StatementKind::Open { .. } | StatementKind::Close { .. } => true,
        _ => item.tokens_of(statement.tokens).last().is_some_and(|last| last.is(b';')),
    }
}

fn touches(mut ranges: impl Iterator<Item = Range<usize>>, own: &Range<u32>) -> bool {
    ranges.any(|range| range.start < own.end as usize && own.start as usize <= range.end)
}

/// Offset by which all tokens after an instruction move.
struct Shift {
    /// First byte offset that moves.
    from: u32,
    bytes: i32,
    tokens: i32,
}

impl Shift {
    fn byte(&self, byte: u32) -> u32 {
        if byte < self.from { byte } else { byte.wrapping_add_signed(self.bytes) }
    }

    fn token(&self, token: &Token) -> Token {
        Token { start: self.byte(token.start), ..*token }
    }

    fn error(&self, error: &SyntaxError) -> SyntaxError {
        SyntaxError { range: self.byte(error.range.start)..self.byte(error.range.end), ..*error }
    }

    fn statement(&self, statement: &Statement) -> Statement {
        let index = |index: u32| index.wrapping_add_signed(self.tokens);
        let tokens = TokenRange { start: index(statement.tokens.start), end: index(statement.tokens.end) };
        let kind = match statement.kind {
            StatementKind::Instruction { opcode, operands } => {
                StatementKind::Instruction { opcode: index(opcode), operands: index(operands) }
            }
            other => other,
        };
        Statement { kind, tokens }
    }
}
