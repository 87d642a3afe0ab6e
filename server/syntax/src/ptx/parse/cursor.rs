//! Token reader with one token of lookahead. Every rule of the grammar uses it.

use super::words::is_selector;
use crate::ptx::lex::{Lexer, Trivia};
use crate::ptx::{SyntaxError, Token, TokenKind};

/// A position among the tokens of an item, and the tokens, comments and errors before it.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The current token; `None` at the end of the text.
    pub current: Option<Token>,
    pub first_on_line: bool,
    /// Comments and errors found so far.
    pub found: Trivia,
    pub tokens: Vec<Token>,
    /// Closing brackets of the list that is being read, outermost first.
    pub brackets: Vec<u8>,
}

/// Marker for a parse that failed and has reported its error. The remaining tokens of the statement cannot be
/// read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParseFailed;

pub(super) type Parsed = Result<(), ParseFailed>;

/// A position to return to if a statement turns out to be another kind of item.
pub(super) struct Checkpoint<'a> {
    lexer: Lexer<'a>,
    current: Option<Token>,
    first_on_line: bool,
    comments: usize,
    errors: usize,
    tokens: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text.as_bytes()),
            current: None,
            first_on_line: true,
            found: Trivia::default(),
            // A token with its separators has at least three bytes. The capacity is limited to the token
            // count of a typical function.
            tokens: Vec::with_capacity((text.len() / 3).min(1 << 14)),
            brackets: Vec::new(),
        }
    }

    /// Moves to the start of an item.
    pub(super) fn start_item(&mut self, at: usize) {
        self.lexer.start_item(at);
        self.brackets.clear();
        self.advance();
    }

    /// Number of bytes that the lexer has examined, from the item's start.
    pub(super) fn reach(&self) -> usize {
        self.lexer.reach()
    }

    pub(super) fn checkpoint(&self) -> Checkpoint<'a> {
        Checkpoint {
            lexer: self.lexer,
            current: self.current,
            first_on_line: self.first_on_line,
            comments: self.found.comments.len(),
            errors: self.found.errors.len(),
            tokens: self.tokens.len(),
        }
    }

    /// Returns to an earlier position and discards everything read after it.
    pub(super) fn go_back(&mut self, to: &Checkpoint<'a>) {
        self.lexer.go_back(to.lexer);
        self.current = to.current;
        self.first_on_line = to.first_on_line;
        self.found.comments.truncate(to.comments);
        self.found.errors.truncate(to.errors);
        self.tokens.truncate(to.tokens);
    }

    /// The token after the current one.
    pub(super) fn following(&self) -> Option<Token> {
        let mut ahead = self.lexer;
        ahead.next(&mut Trivia::default()).token
    }

    #[inline]
    fn advance(&mut self) {
        let lexed = self.lexer.next(&mut self.found);
        self.current = lexed.token;
        self.first_on_line = lexed.first_on_line;
    }

    #[inline]
    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.current.map(|token| token.kind)
    }

    #[inline]
    pub(super) fn is(&self, punct: u8) -> bool {
        self.kind() == Some(TokenKind::Punct(punct))
    }

    /// The text of the current token; empty at the end of the text.
    pub(super) fn word(&self) -> &'a str {
        self.current.map_or("", |token| &self.item_text()[token.range()])
    }

    /// The text from the item's start on. Token offsets refer to this text.
    pub(super) fn item_text(&self) -> &'a str {
        &self.text[self.lexer.base()..]
    }

    /// Index that the next consumed token gets.
    #[inline]
    pub(super) fn next_index(&self) -> u32 {
        self.tokens.len() as u32
    }

    #[inline]
    pub(super) fn bump(&mut self) {
        if let Some(token) = self.current {
            self.tokens.push(token);
            self.advance();
        }
    }

    #[inline]
    pub(super) fn bump_as(&mut self, kind: TokenKind) {
        if let Some(token) = self.current {
            self.tokens.push(Token { kind, ..token });
            self.advance();
        }
    }

    /// Consumes this punctuation character; false if the current token is a different token.
    #[inline]
    pub(super) fn eat(&mut self, punct: u8) -> bool {
        let is = self.is(punct);
        if is {
            self.bump();
        }
        is
    }

    pub(super) fn expect(&mut self, punct: u8, message: &'static str) -> Parsed {
        if self.eat(punct) { Ok(()) } else { Err(self.fail(message)) }
    }

    pub(super) fn expect_kind(&mut self, kind: TokenKind, message: &'static str) -> Parsed {
        if self.kind() == Some(kind) {
            self.bump();
            Ok(())
        } else {
            Err(self.fail(message))
        }
    }

    /// Consumes the `;` of a statement. If the `;` is missing at the end of a line, an error is reported and
    /// the next line is read as another statement.
    pub(super) fn semicolon(&mut self) -> Parsed {
        if self.eat(b';') {
            return Ok(());
        }
        let failed = self.fail("expected `;`");
        if self.first_on_line { Ok(()) } else { Err(failed) }
    }

    pub(super) fn fail(&mut self, message: &'static str) -> ParseFailed {
        self.note(message);
        ParseFailed
    }

    /// Reports the expected token at the current token, or at the previous token if the current token is on
    /// another line or closes a scope. Error tokens have been reported already.
    pub(super) fn note(&mut self, message: &'static str) {
        match self.current.filter(|token| !self.first_on_line && !token.is(b'}')) {
            Some(here) if here.kind == TokenKind::Error => {}
            Some(here) => self.note_on(here, message),
            None => self.note_before(message),
        }
    }

    /// Reports the expected token at the position of the current token, which the caller consumes.
    pub(super) fn note_here(&mut self, message: &'static str) {
        if let Some(token) = self.current.filter(|token| token.kind != TokenKind::Error) {
            self.note_on(token, message);
        }
    }

    /// Reports the expected token after the previous token. The current token is not consumed.
    pub(super) fn note_before(&mut self, message: &'static str) {
        if let Some(token) = self.tokens.last().copied() {
            self.note_on(token, message);
        }
    }

    pub(super) fn note_on(&mut self, token: Token, message: &'static str) {
        self.found.errors.push(SyntaxError { range: token.start..token.end(), message });
    }

    /// True if the current token starts a line and certainly begins another statement.
    pub(super) fn begins_statement(&self) -> bool {
        self.first_on_line
            && match self.kind() {
                Some(TokenKind::Modifier | TokenKind::Punct(b'@')) => true,
                Some(TokenKind::Name) => self.is_label_or_opcode(),
                _ => false,
            }
    }

    /// True if the characters after the current word show that the word is not an operand: a colon, or a
    /// modifier that is not a selector.
    fn is_label_or_opcode(&self) -> bool {
        let following = self.current.map_or("", |token| &self.item_text()[token.end() as usize..]);
        let following = following.trim_start_matches([' ', '\t']);
        let Some(modifier) = following.strip_prefix('.') else { return following.starts_with(':') };
        let end = modifier.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        !is_selector(&modifier[..end.unwrap_or(modifier.len())])
    }
}
