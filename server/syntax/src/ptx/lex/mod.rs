//! Lexer that returns one token at a time. It needs no context from before its start position.

mod scan;

pub(super) use scan::{decimal, exact_float, radix_integer};

use super::{SyntaxError, Token, TokenKind};

/// Number of bytes after a token's end that the lexer may examine: `1e+5` is recognised by its fourth byte.
const LOOKAHEAD: usize = 4; // limit: the longest look ahead of a pattern

/// A position in a text, and the start of the item that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    base: usize,
    /// True if a dot before a digit starts a number. False after a token that a modifier may follow.
    wants_value: bool,
    reach: usize,
}

/// A token, and whether only white space and comments precede it on its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexed {
    pub token: Option<Token>,
    pub first_on_line: bool,
}

/// Comments and errors found between tokens.
#[derive(Debug, Default)]
pub(super) struct Trivia {
    pub comments: Vec<Token>,
    pub errors: Vec<SyntaxError>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, base: 0, wants_value: false, reach: 0 }
    }

    /// Moves to the start of an item.
    pub(super) fn start_item(&mut self, at: usize) {
        self.at = at;
        self.base = at;
        self.wants_value = false;
        self.reach = 0;
    }

    /// Returns the start of the item.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// Number of bytes that the lexer has examined, from the item's start.
    pub(super) fn reach(&self) -> usize {
        self.reach.max(self.at) + LOOKAHEAD - self.base
    }

    /// Returns to an earlier position. The reach is kept.
    pub(super) fn go_back(&mut self, place: Self) {
        let reach = self.reach.max(self.at);
        *self = Self { reach, ..place };
    }

    /// The next token; `None` at the end of the text. Preceding comments and errors are added to `found`.
    #[inline]
    pub(super) fn next(&mut self, found: &mut Trivia) -> Lexed {
        let mut first_on_line = self.at == self.base;
        loop {
            first_on_line |= self.skip_space();
            let rest = &self.text[self.at..];
            let Some(&byte) = rest.first() else { return Lexed { token: None, first_on_line } };
            match byte {
                b'/' if matches!(rest.get(1), Some(b'/' | b'*')) => self.comment(rest, found),
                b'#' => self.line(TokenKind::LineMarker, rest, found),
                b'@' if rest.get(1) == Some(&b'@') => self.line(TokenKind::Dwarf, rest, found),
                _ => {
                    let (kind, len) = self.token(byte, rest, found);
                    return Lexed { token: Some(self.take(kind, len)), first_on_line };
                }
            }
        }
    }

    /// Skips white space. Returns true if it contains a line end.
    #[inline]
    fn skip_space(&mut self) -> bool {
        let mut ended = false;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | 0x0b | 0x0c => {}
                b'\n' | b'\r' => ended = true,
                _ => break,
            }
            self.at += 1;
        }
        ended
    }

    fn comment(&mut self, rest: &[u8], found: &mut Trivia) {
        if rest[1] == b'/' {
            return self.line(TokenKind::Comment, rest, found);
        }
        let (len, closed) = scan::block_comment(rest);
        let token = self.take(TokenKind::Comment, len);
        if !closed {
            let range = token.start..token.start + 2;
            found.errors.push(SyntaxError { range, message: "expected `*/` after the comment" });
        }
        found.comments.push(token);
    }

    fn line(&mut self, kind: TokenKind, rest: &[u8], found: &mut Trivia) {
        let token = self.take(kind, scan::line_length(rest));
        found.comments.push(token);
    }

    /// The kind and the length of the token at the start of `rest`.
    #[inline]
    fn token(&mut self, first: u8, rest: &[u8], found: &mut Trivia) -> (TokenKind, usize) {
        let wants_value = std::mem::replace(&mut self.wants_value, false);
        if scan::starts_word(first) {
            return (TokenKind::Name, 1 + scan::word_length(&rest[1..]));
        }
        let second = rest.get(1).copied().unwrap_or(0);
        match first {
            b'%' if scan::is_word(second) => (TokenKind::Name, 1 + scan::word_length(&rest[1..])),
            b'.' if wants_value && second.is_ascii_digit() => self.number(rest, found),
            b'.' if scan::is_word(second) => (TokenKind::Modifier, scan::modifier_length(rest)),
            b'0'..=b'9' => self.number(rest, found),
            b'"' => self.string(rest, found),
            b';' | b')' | b']' | b'}' | b'@' => (TokenKind::Punct(first), 1),
            b'<' | b'>' | b'=' | b'!' | b'&' | b'|' => {
                self.wants_value = true;
                if scan::is_operator(first, second) {
                    (TokenKind::Operator, 2)
                } else {
                    (TokenKind::Punct(first), 1)
                }
            }
            b',' | b':' | b'(' | b'[' | b'{' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'?' => {
                self.wants_value = true;
                (TokenKind::Punct(first), 1)
            }
            b'.' => self.error(1, "expected a word after the dot", found),
            _ => self.error(scan::unknown_length(rest), "expected PTX", found),
        }
    }

    fn number(&self, rest: &[u8], found: &mut Trivia) -> (TokenKind, usize) {
        match scan::number(rest) {
            Ok((after, kind)) if after.first().is_none_or(|&byte| !scan::is_word(byte)) => {
                (kind, rest.len() - after.len())
            }
            _ => self.error(1 + scan::word_length(&rest[1..]), "expected a number", found),
        }
    }

    fn string(&self, rest: &[u8], found: &mut Trivia) -> (TokenKind, usize) {
        match scan::string(rest) {
            (len, true) => (TokenKind::String, len),
            (len, false) => self.error(len, "expected `\"` at the end of the string", found),
        }
    }

    #[cold]
    fn error(&self, len: usize, message: &'static str, found: &mut Trivia) -> (TokenKind, usize) {
        let start = (self.at - self.base) as u32;
        found.errors.push(SyntaxError { range: start..start + len as u32, message });
        (TokenKind::Error, len)
    }

    #[inline]
    fn take(&mut self, kind: TokenKind, len: usize) -> Token {
        let start = (self.at - self.base) as u32;
        self.at += len;
        Token { start, len: len as u32, kind }
    }
}
