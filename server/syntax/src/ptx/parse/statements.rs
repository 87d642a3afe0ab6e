//! The statements of an item read so far, with the open scopes and the error recovery.

use super::cursor::{Cursor, ParseFailed, Parsed};
use crate::ptx::{Statement, StatementKind, TokenKind, TokenRange};

/// A cursor, and the statements built from the tokens before it.
#[derive(Debug)]
pub(super) struct Statements<'a> {
    pub cursor: Cursor<'a>,
    pub list: Vec<Statement>,
    /// Indices of the statements that opened the enclosing scopes, outermost first.
    scopes: Vec<u32>,
}

impl<'a> Statements<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text),
            list: Vec::with_capacity((text.len() / 16).min(1 << 12)),
            scopes: Vec::new(),
        }
    }

    pub(super) fn is_in_scope(&self) -> bool {
        !self.scopes.is_empty()
    }

    pub(super) fn open_scope(&mut self) {
        let first = self.cursor.next_index();
        self.scopes.push(self.list.len() as u32);
        self.cursor.bump();
        self.add(first, StatementKind::Open { close: u32::MAX }, Ok(()));
    }

    pub(super) fn close_scope(&mut self) {
        let first = self.cursor.next_index();
        self.cursor.bump();
        let open = self.scopes.pop().unwrap_or_default();
        let close = self.list.len() as u32;
        if let Some(statement) = self.list.get_mut(open as usize) {
            statement.kind = StatementKind::Open { close };
        }
        self.add(first, StatementKind::Close { open }, Ok(()));
    }

    /// Closes all open scopes and reports an error for the missing `}`.
    pub(super) fn leave_scopes(&mut self) {
        self.cursor.note_before("expected `}`");
        let close = self.list.len() as u32;
        for open in self.scopes.drain(..) {
            self.list[open as usize].kind = StatementKind::Open { close };
        }
    }

    /// Turns the word before the current colon into a label.
    pub(super) fn label(&mut self, first: u32) {
        if let Some(word) = self.cursor.tokens.last_mut() {
            word.kind = TokenKind::Label;
        }
        self.cursor.bump();
        self.add(first, StatementKind::Label, Ok(()));
    }

    /// Adds a statement from token `first` to the current position. After an error the statement extends to
    /// the start of the next statement.
    #[inline]
    pub(super) fn add(&mut self, first: u32, kind: StatementKind, read: Parsed) {
        if read.is_err() {
            self.recover();
        }
        self.cursor.brackets.clear();
        let tokens = TokenRange { start: first, end: self.cursor.next_index() };
        self.list.push(Statement { kind, tokens });
    }

    /// Skips to the end of the next `;`, to the `}` of a scope, or to a line that begins another statement.
    fn recover(&mut self) {
        while let Some(token) = self.cursor.current.filter(|_| !self.cursor.begins_statement()) {
            match token.kind {
                TokenKind::Punct(b';') => return self.cursor.bump(),
                TokenKind::Punct(b'{') => self.cursor.brackets.push(b'}'),
                TokenKind::Punct(b'}') => {
                    while self.cursor.brackets.pop_if(|close| *close != b'}').is_some() {}
                    if self.cursor.brackets.pop().is_none() {
                        return;
                    }
                }
                _ => {}
            }
            self.cursor.bump();
        }
    }

    /// Reads a token that cannot start a statement as a statement with an error.
    pub(super) fn unexpected(&mut self, message: &'static str) {
        let first = self.cursor.next_index();
        let Some(token) = self.cursor.current else { return };
        self.cursor.note_here(message);
        let closes = matches!(token.kind, TokenKind::Punct(b';' | b'}'));
        self.cursor.bump();
        self.add(first, StatementKind::Error, if closes { Ok(()) } else { Err(ParseFailed) });
    }
}
