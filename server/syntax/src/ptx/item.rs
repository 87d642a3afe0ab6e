//! A directive, variable or function at module scope, with the comments above it.
//!
//! All offsets in an item count from its start, so an edit of another item does not change them.

use super::{Function, Statement, StatementKind, Token, TokenKind, TokenRange};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// A directive, variable or function of a module. The next item starts on the following line, or directly
/// after it on the same line.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    pub(super) text: Box<str>,
    pub(super) kind: ItemKind,
    pub(super) tokens: Box<[Token]>,
    pub(super) comments: Box<[Token]>,
    pub(super) statements: Box<[Statement]>,
    pub(super) function: Option<Function>,
    pub(super) errors: Box<[SyntaxError]>,
    pub(super) lines: u32,
    /// Number of bytes that the parser examined, from the item's start, including lookahead past its end.
    pub(super) reach: usize,
    pub(super) hash: u64,
}

/// Kind of an item, determined from its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `.version`, `.target`, `.file`, `.alias`, `.pragma` and similar directives.
    Directive,
    /// `.section` with its rows.
    Section,
    Variable,
    /// `.entry` or `.func`, with or without a body.
    Function,
    /// White space and comments at the end of the text.
    Blank,
    /// An item that could not be read.
    Error,
}

/// Error in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte range in the item.
    pub range: Range<u32>,
    /// Phrase that states what the parser expected.
    pub message: &'static str,
}

/// A token, a comment or white space in an item's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Space(&'a str),
    /// A token or a comment.
    Token(&'a Token),
}

impl Item {
    pub(super) fn hash_of(text: &str) -> u64 {
        xxh3_64(text.as_bytes())
    }

    /// Returns the item's text, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the kind of the item.
    pub fn kind(&self) -> ItemKind {
        self.kind
    }

    /// Tokens in text order, without comments.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Comments, line markers and DWARF lines, in text order.
    pub fn comments(&self) -> &[Token] {
        &self.comments
    }

    /// Returns the tokens in a range of token indices.
    pub fn tokens_of(&self, range: TokenRange) -> &[Token] {
        &self.tokens[range.start as usize..range.end as usize]
    }

    /// Returns the text of one of the item's tokens.
    pub fn token_text(&self, token: &Token) -> &str {
        token.text(&self.text)
    }

    /// Statements in text order. The statements of a scope are between its `{` and its `}`.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Index of the statement that contains this byte, or of the last statement before it. `None` before the
    /// first statement.
    pub fn statement_at(&self, byte: u32) -> Option<usize> {
        let starts = |statement: &Statement| {
            self.tokens.get(statement.tokens.start as usize).is_some_and(|token| token.start <= byte)
        };
        self.statements.partition_point(starts).checked_sub(1)
    }

    /// Byte range of a statement in the item.
    pub fn range(&self, statement: &Statement) -> Range<u32> {
        match self.tokens_of(statement.tokens) {
            [first, .., last] => first.start..last.end(),
            [only] => only.start..only.end(),
            [] => 0..0,
        }
    }

    /// Returns the head of the function; `None` for other items.
    pub fn function(&self) -> Option<&Function> {
        self.function.as_ref()
    }

    /// Returns the token of the function name or of the first variable name.
    pub fn name_token(&self) -> Option<&Token> {
        match self.kind {
            ItemKind::Function => self.tokens.get(self.function.as_ref()?.name? as usize),
            ItemKind::Variable => {
                self.variable(self.statements.first()?)?.declarators().next().map(|first| first.name)
            }
            _ => None,
        }
    }

    /// Name of the function or of the first variable.
    pub fn name(&self) -> Option<&str> {
        self.name_token().map(|token| self.token_text(token))
    }

    /// The statements that are instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &Statement> + Clone {
        self.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::Instruction { .. }))
    }

    /// Errors in text order.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }

    /// Number of line ends in the text.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Hash of the text.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The complete text in order: tokens, comments and the white space between them.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let mut tokens = self.tokens.iter().peekable();
        let mut comments = self.comments.iter().peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            let comes_first = match (tokens.peek(), comments.peek()) {
                (Some(token), Some(comment)) => comment.start < token.start,
                (token, _) => token.is_none(),
            };
            let next = if comes_first { &mut comments } else { &mut tokens };
            let start = next.peek().map_or(self.text.len(), |token| token.start as usize);
            if at < start {
                let space = &self.text[at..start];
                at = start;
                return Some(Piece::Space(space));
            }
            let token = next.next()?;
            at = token.end() as usize;
            Some(Piece::Token(token))
        })
    }
}

impl Token {
    /// True for tokens that do not affect the code: comments, line markers, DWARF lines.
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, TokenKind::Comment | TokenKind::LineMarker | TokenKind::Dwarf)
    }
}
