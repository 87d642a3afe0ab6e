//! Tokens to items. Nothing here is recursive: brackets and scopes are kept on explicit stacks.

mod body;
mod declaration;
mod directive;
mod function;
mod list;
mod section;

pub(super) use body::instruction;

use super::lex::{Found, Lexer};
use super::{Function, Item, ItemKind, Statement, StatementKind, SyntaxError, Token, TokenKind, TokenRange};
use crate::taken::taken;
use memchr::memchr2_iter;

/// Reads items from a text, one after the other, from wherever one starts.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The token that is looked at; `None` at the end of the text.
    current: Option<Token>,
    first_on_line: bool,
    found: Found,
    tokens: Vec<Token>,
    statements: Vec<Statement>,
    function: Option<Function>,
    /// Closing brackets of the list that is being read, outermost first.
    brackets: Vec<u8>,
    /// The statements that opened the scopes around, outermost first.
    scopes: Vec<u32>,
}

/// An error was noted; the statement can't be read on.
#[derive(Debug, Clone, Copy)]
struct Failed;

type Step = Result<(), Failed>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text.as_bytes()),
            current: None,
            first_on_line: true,
            found: Found::default(),
            // A token with its separators has three bytes or more; no more than a function's is reserved at once.
            tokens: Vec::with_capacity((text.len() / 3).min(1 << 14)),
            statements: Vec::with_capacity((text.len() / 16).min(1 << 12)),
            function: None,
            brackets: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// The item that starts at this byte. `None` at the end of the text.
    pub(super) fn item(&mut self, at: usize) -> Option<Item> {
        if at >= self.text.len() {
            return None;
        }
        self.lexer.start_item(at);
        self.brackets.clear();
        self.advance();
        let kind = self.any_item();
        Some(self.finish(at, kind))
    }

    fn any_item(&mut self) -> ItemKind {
        match self.current {
            None => ItemKind::Blank,
            Some(token) if token.kind == TokenKind::Modifier => self.dotted_item(),
            Some(_) => {
                self.unexpected("expected a directive");
                ItemKind::Error
            }
        }
    }

    /// Makes an item of what was read, with the white space and the comments after it on its line.
    fn finish(&mut self, at: usize, kind: ItemKind) -> Item {
        let rest = &self.text[at..];
        let len = match self.tokens.last() {
            Some(last) if kind != ItemKind::Blank => {
                last.end() as usize + line_rest(&rest.as_bytes()[last.end() as usize..])
            }
            _ => rest.len(),
        };
        // What was read to look ahead is the next item's.
        let text: Box<str> = rest[..len].into();
        let own = self.found.comments.partition_point(|comment| (comment.start as usize) < len);
        self.found.comments.truncate(own);
        self.found.errors.retain(|error| (error.range.start as usize) < len);
        self.found.errors.sort_by_key(|error| error.range.start);
        Item {
            kind,
            tokens: taken(&mut self.tokens),
            comments: taken(&mut self.found.comments),
            statements: taken(&mut self.statements),
            errors: taken(&mut self.found.errors),
            function: self.function.take(),
            lines: line_ends(text.as_bytes()),
            reach: self.lexer.reach(),
            hash: Item::hash_of(&text),
            text,
        }
    }

    #[inline]
    fn advance(&mut self) {
        let lexed = self.lexer.next(&mut self.found);
        self.current = lexed.token;
        self.first_on_line = lexed.first_on_line;
    }

    #[inline]
    fn kind(&self) -> Option<TokenKind> {
        self.current.map(|token| token.kind)
    }

    #[inline]
    fn is(&self, punct: u8) -> bool {
        self.kind() == Some(TokenKind::Punct(punct))
    }

    /// The text of the token that is looked at; empty at the end.
    fn word(&self) -> &'a str {
        self.current.map_or("", |token| &self.item_text()[token.range()])
    }

    fn item_text(&self) -> &'a str {
        &self.text[self.lexer.base()..]
    }

    /// Index of the next token.
    #[inline]
    fn next_index(&self) -> u32 {
        self.tokens.len() as u32
    }

    #[inline]
    fn bump(&mut self) {
        if let Some(token) = self.current {
            self.tokens.push(token);
            self.advance();
        }
    }

    #[inline]
    fn bump_as(&mut self, kind: TokenKind) {
        if let Some(token) = self.current {
            self.tokens.push(Token { kind, ..token });
            self.advance();
        }
    }

    /// Takes this character; false if the current token is another.
    #[inline]
    fn eat(&mut self, punct: u8) -> bool {
        let is = self.is(punct);
        if is {
            self.bump();
        }
        is
    }

    fn expect(&mut self, punct: u8, message: &'static str) -> Step {
        if self.eat(punct) { Ok(()) } else { Err(self.fail(message)) }
    }

    fn expect_kind(&mut self, kind: TokenKind, message: &'static str) -> Step {
        if self.kind() == Some(kind) {
            self.bump();
            Ok(())
        } else {
            Err(self.fail(message))
        }
    }

    fn fail(&mut self, message: &'static str) -> Failed {
        self.note(message);
        Failed
    }

    /// Reports what was expected at the current token, or at the previous one if the current token belongs to another
    /// line or scope. A token that could not be read has been reported already.
    fn note(&mut self, message: &'static str) {
        match self.current.filter(|token| !self.first_on_line && !token.is(b'}')) {
            Some(here) if here.kind == TokenKind::Error => {}
            Some(here) => self.note_on(here, message),
            None => self.note_before(message),
        }
    }

    /// Notes what was expected in place of the token here, which is taken.
    fn note_here(&mut self, message: &'static str) {
        if let Some(token) = self.current.filter(|token| token.kind != TokenKind::Error) {
            self.note_on(token, message);
        }
    }

    /// Reports what was expected after the previous token; the current one is not taken.
    fn note_before(&mut self, message: &'static str) {
        if let Some(token) = self.tokens.last().copied() {
            self.note_on(token, message);
        }
    }

    fn note_on(&mut self, token: Token, message: &'static str) {
        self.found.errors.push(SyntaxError { range: token.start..token.end(), message });
    }

    /// Adds a statement of the tokens from `first` on; one that failed takes what follows up to where another starts.
    #[inline]
    fn add(&mut self, first: u32, kind: StatementKind, step: Step) {
        if step.is_err() {
            self.recover();
        }
        self.brackets.clear();
        let tokens = TokenRange { start: first, end: self.next_index() };
        self.statements.push(Statement { kind, tokens });
    }

    /// Whether a new line with what is surely another statement begins here.
    fn begins_statement(&self) -> bool {
        self.first_on_line
            && match self.kind() {
                Some(TokenKind::Modifier | TokenKind::Punct(b'@')) => true,
                Some(TokenKind::Name) => self.is_label_or_opcode(),
                _ => false,
            }
    }

    /// Whether what follows the word here distinguishes it from an operand: a colon, or a modifier that is no selector.
    fn is_label_or_opcode(&self) -> bool {
        let behind = self.current.map_or("", |token| &self.item_text()[token.end() as usize..]);
        let behind = behind.trim_start_matches([' ', '\t']);
        let Some(modifier) = behind.strip_prefix('.') else { return behind.starts_with(':') };
        let end = modifier.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        !is_selector(&modifier[..end.unwrap_or(modifier.len())])
    }

    /// Skips to the end of the next `;`, to the `}` of a scope, or to a line that begins another statement.
    fn recover(&mut self) {
        while let Some(token) = self.current.filter(|_| !self.begins_statement()) {
            match token.kind {
                TokenKind::Punct(b';') => return self.bump(),
                TokenKind::Punct(b'{') => self.brackets.push(b'}'),
                TokenKind::Punct(b'}') => {
                    while self.brackets.pop_if(|close| *close != b'}').is_some() {}
                    if self.brackets.pop().is_none() {
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Takes what nothing starts with as a statement that could not be read.
    fn unexpected(&mut self, message: &'static str) {
        let first = self.next_index();
        let Some(token) = self.current else { return };
        self.note_here(message);
        let closes = matches!(token.kind, TokenKind::Punct(b';' | b'}'));
        self.bump();
        self.add(first, StatementKind::Error, if closes { Ok(()) } else { Err(Failed) });
    }
}

/// True for what can follow an operand, without the dot: vector components, parts of special registers and words, and
/// qualifiers of an address.
fn is_selector(word: &str) -> bool {
    matches!(
        word,
        "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a" | "b0" | "b1" | "b2" | "b3" | "h0" | "h1" | "unified"
    )
}

/// Length of the rest of the line including its end if it holds only white space and comments, otherwise 0.
fn line_rest(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match text[at..] {
            [] => return at,
            [b'\r', b'\n', ..] => return at + 2,
            [b'\r' | b'\n', ..] => return at + 1,
            [b' ' | b'\t' | 0x0b | 0x0c, ..] => at += 1,
            [b'/', b'/', ..] | [b'#', ..] | [b'@', b'@', ..] => {
                at += text[at..]
                    .iter()
                    .position(|byte| matches!(byte, b'\r' | b'\n'))
                    .unwrap_or(text.len() - at);
            }
            [b'/', b'*', ref rest @ ..] => {
                let line =
                    &rest[..rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len())];
                let Some(end) = line.windows(2).position(|pair| pair == b"*/") else { return 0 };
                at += end + 4;
            }
            _ => return 0,
        }
    }
}

/// A text that is not read, with an error that says so.
pub(super) fn unread(text: &str) -> Item {
    let first = text.chars().next().map_or(0, |first| first.len_utf8() as u32);
    let error = SyntaxError {
        range: 0..first,
        message: "not read: a text has 500,000 directives, variables and functions at most",
    };
    Item {
        text: text.into(),
        kind: ItemKind::Error,
        tokens: Box::default(),
        comments: Box::default(),
        statements: Box::default(),
        function: None,
        errors: Box::new([error]),
        lines: line_ends(text.as_bytes()),
        reach: text.len() + 1,
        hash: Item::hash_of(text),
    }
}

/// Line ends: `\n`, `\r\n` or `\r`.
pub(super) fn line_ends(text: &[u8]) -> u32 {
    let ends = memchr2_iter(b'\n', b'\r', text);
    ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n')).count() as u32
}
