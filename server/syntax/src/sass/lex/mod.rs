//! One line of text to tokens. Every line is read by itself; the only memory from line to line is [`Block`].

mod control_text;
mod eight;
mod inline;
mod instruction;
mod other;
mod scan;

pub(super) use control_text::{read as read_control, read_annotations};
pub(super) use inline::Inline;
pub(super) use scan::word_value;

use super::{LineKind, Token, TokenKind};

/// The assembler block of a line, which determines how the line is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub(super) enum Block {
    #[default]
    None,
    /// `<REGISTER_MAPPING>`, `<CONSTANT_MAPPING>`, `<PARAMS>` and the like: names and their meanings.
    Mapping,
    /// `<CODE>`: another language, until `</CODE>`.
    Code,
    /// `<COMMENT>`, until `</COMMENT>`.
    Comment,
    /// `[+` or `[-`: another language, until `+]` or `-]`.
    Inline(Inline),
}

/// Kind and tokens of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LexedLine {
    pub kind: LineKind,
    /// The block of the next line.
    pub block: Block,
    /// The first thing wrong with it.
    pub error: Option<LineError>,
    pub body: Body,
}

/// Place of an instruction among the tokens of its line, stored so that it is searched only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Body {
    /// Index of the mnemonic; `NONE` where the line has none.
    mnemonic: u16,
    /// Index after the last operand and its comments.
    end: u16,
    /// An operand has `.reuse`.
    pub reuses: bool,
}

impl Body {
    const NONE: u16 = u16::MAX;

    /// No instruction.
    const EMPTY: Self = Self { mnemonic: Self::NONE, end: Self::NONE, reuses: false };

    /// Indices of the mnemonic and of the first token after the operands.
    pub(super) fn tokens(self) -> Option<(usize, usize)> {
        (self.mnemonic != Self::NONE).then_some((self.mnemonic.into(), self.end.into()))
    }
}

/// Bytes of the line and what was expected there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineError {
    pub start: u16,
    pub end: u16,
    pub message: &'static str,
}

/// The longest line that is read; offsets in a line are 16 bits wide.
const MAX_LINE: usize = u16::MAX as usize;

/// Reads one line (without its ending), adding its tokens to `tokens`.
pub(super) fn lex_line(line: &str, block: Block, tokens: &mut Vec<Token>) -> LexedLine {
    if line.len() > MAX_LINE {
        let error = LineError { start: 0, end: 0, message: "expected a line of at most 65,535 bytes" };
        return LexedLine { kind: LineKind::Error, block, error: Some(error), body: Body::EMPTY };
    }
    let first = tokens.len();
    let mut lexer =
        Lexer { line: line.as_bytes(), at: 0, tokens, first, error: None, body: Body::EMPTY, opened: None };
    let (mut kind, mut next) = lexer.line(block);
    if lexer.error.is_some() && lexer.forgive(block) {
        kind = LineKind::Opaque;
        next = if matches!(block, Block::Inline(_)) { next } else { block };
    }
    if let Some(opened) = lexer.opened {
        next = Block::Inline(opened.within(next));
    }
    let kind = if lexer.error.is_some() && kind != LineKind::Instruction { LineKind::Error } else { kind };
    LexedLine { kind, block: next, error: lexer.error, body: lexer.body }
}

/// A position in one line, and what was found before it.
struct Lexer<'a> {
    line: &'a [u8],
    at: usize,
    tokens: &'a mut Vec<Token>,
    /// Index of the line's first token.
    first: usize,
    error: Option<LineError>,
    body: Body,
    /// Inline code that begins in this line and goes on in the next one.
    opened: Option<Inline>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Index of the next token in its line.
    fn next(&self) -> u16 {
        (self.tokens.len() - self.first) as u16
    }

    /// Ends the operands: the first that says so is right.
    fn end_body(&mut self) {
        if self.body.end == Body::NONE {
            self.body.end = self.next();
        }
    }

    fn skip_spaces(&mut self) {
        if self.peek().is_some_and(scan::is_space) {
            self.at += scan::spaces_length(self.rest());
        }
    }

    /// Adds a token of `len` bytes from here and moves past it.
    fn push(&mut self, kind: TokenKind, len: usize, value: u32) {
        self.tokens.push(Token { start: self.at as u16, len: len as u16, kind, value });
        self.at += len;
    }

    /// Takes what `parser` accepts here as one token.
    fn take<T>(&mut self, kind: TokenKind, parser: impl Fn(&'a [u8]) -> scan::Scan<'a, T>) -> Option<T> {
        let rest = self.rest();
        let (after, value) = parser(rest).ok()?;
        self.push(kind, rest.len() - after.len(), 0);
        Some(value)
    }

    /// Takes all that is left, without trailing space, as one token.
    fn push_rest(&mut self, kind: TokenKind) {
        let len = self.rest().trim_ascii_end().len();
        if len > 0 {
            self.push(kind, len, 0);
        }
        self.at = self.line.len();
    }

    /// Notes what was expected here; the rest of the line is left unread as one error token.
    fn fail(&mut self, message: &'static str) {
        let start = self.at;
        let end = start + self.rest().trim_ascii_end().len();
        self.push_rest(TokenKind::Error);
        self.note(start, end, message);
    }

    fn note(&mut self, mut start: usize, end: usize, message: &'static str) {
        // The last byte of a line may be the end of a character.
        while self.line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
            start -= 1;
        }
        self.error.get_or_insert(LineError { start: start as u16, end: end as u16, message });
    }

    fn line(&mut self, block: Block) -> (LineKind, Block) {
        self.skip_spaces();
        match block {
            Block::Code | Block::Comment => return self.opaque(block),
            Block::Mapping => return self.mapping(),
            Block::Inline(kind) => return self.inside_inline(kind),
            Block::None => {}
        }
        let kind = match self.peek() {
            None => LineKind::Blank,
            Some(b'/') => return (self.slash(), Block::None),
            Some(b'<') => return self.tag(),
            Some(b'#') => self.hash_comment(),
            Some(b'[') => self.bracket(),
            Some(b'.') => self.dot(),
            Some(b'@' | b'{' | b'}') => self.instruction(),
            Some(b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | b'=') => self.word_line(),
            Some(_) => {
                self.fail("expected an instruction, a label, a directive or a comment");
                LineKind::Error
            }
        };
        (kind, Block::None)
    }
}
