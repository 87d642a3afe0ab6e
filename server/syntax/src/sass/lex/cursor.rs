//! A position in a line, and the lexer's operations at it.

use super::block::Inline;
use super::scan;
use crate::sass::{Token, TokenKind};

/// Position of an instruction among the tokens of its line, stored to avoid repeated searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sass) struct Body {
    /// Index of the mnemonic; `NONE` if the line has no mnemonic.
    pub mnemonic: u16,
    /// Index of the first token after the last operand and its comments.
    end: u16,
    /// True if an operand has `.reuse`.
    pub reuses: bool,
}

impl Body {
    const NONE: u16 = u16::MAX; // limit: no line has as many tokens

    /// The body of a line without an instruction.
    pub(in crate::sass) const EMPTY: Self = Self { mnemonic: Self::NONE, end: Self::NONE, reuses: false };

    /// Indices of the mnemonic and of the first token after the operands. `None` for a line without an instruction.
    pub(in crate::sass) fn tokens(self) -> Option<(usize, usize)> {
        (self.mnemonic != Self::NONE).then_some((self.mnemonic.into(), self.end.into()))
    }
}

/// A byte range of the line, and the text that was expected there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sass) struct LineError {
    pub start: u16,
    pub end: u16,
    pub message: &'static str,
}

/// A position in a line, and the tokens and errors before it.
pub(super) struct Cursor<'a> {
    pub line: &'a [u8],
    pub at: usize,
    pub tokens: &'a mut Vec<Token>,
    /// Index of the line's first token.
    pub first: usize,
    pub error: Option<LineError>,
    pub body: Body,
    /// Inline code that begins on this line and continues on the next line.
    pub opened: Option<Inline>,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Index of the next token, counted from the start of the line.
    pub(super) fn next(&self) -> u16 {
        (self.tokens.len() - self.first) as u16
    }

    /// Marks the end of the operands. Only the first call counts.
    pub(super) fn end_body(&mut self) {
        if self.body.end == Body::NONE {
            self.body.end = self.next();
        }
    }

    pub(super) fn skip_spaces(&mut self) {
        if self.peek().is_some_and(scan::is_space) {
            self.at += scan::spaces_length(self.rest());
        }
    }

    /// Adds a token of `len` bytes at the current position and moves past the token.
    pub(super) fn push(&mut self, kind: TokenKind, len: usize, value: u32) {
        self.tokens.push(Token { start: self.at as u16, len: len as u16, kind, value });
        self.at += len;
    }

    /// Reads the text accepted by `parser` at the current position as one token.
    pub(super) fn take<T>(
        &mut self,
        kind: TokenKind,
        parser: impl Fn(&'a [u8]) -> scan::Scan<'a, T>,
    ) -> Option<T> {
        let rest = self.rest();
        let (after, value) = parser(rest).ok()?;
        self.push(kind, rest.len() - after.len(), 0);
        Some(value)
    }

    /// Reads the remaining line, without trailing space, as one token.
    pub(super) fn push_rest(&mut self, kind: TokenKind) {
        let len = self.rest().trim_ascii_end().len();
        if len > 0 {
            self.push(kind, len, 0);
        }
        self.at = self.line.len();
    }

    /// Reports the expected text at the current position. The remaining line becomes one error token.
    pub(super) fn fail(&mut self, message: &'static str) {
        let start = self.at;
        let end = start + self.rest().trim_ascii_end().len();
        self.push_rest(TokenKind::Error);
        self.note(start, end, message);
    }

    pub(super) fn note(&mut self, mut start: usize, end: usize, message: &'static str) {
        // The start may be inside a multi-byte character.
        while self.line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
            start -= 1;
        }
        self.error.get_or_insert(LineError { start: start as u16, end: end as u16, message });
    }

    pub(super) fn punct(&mut self, byte: u8) {
        self.push(TokenKind::Punct, 1, u32::from(byte));
    }
}
