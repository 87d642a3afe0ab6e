//! Parser from tokens to items. No function is recursive: brackets and scopes are kept on explicit stacks.

mod body;
mod cursor;
mod declaration;
mod directive;
mod function;
mod head;
mod list;
mod of_c;
mod section;
mod statements;
mod words;

pub(super) use body::instruction;

use super::variable::{is_linkage, is_space};
use super::{Function, Item, ItemKind, StatementKind, SyntaxError, TokenKind};
use crate::taken::taken;
use cursor::{Cursor, Parsed};
use memchr::memchr2_iter;
use statements::Statements;
use words::begins_declaration;

/// Reader of single items of a text, each from a given start.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    text: &'a str,
    statements: Statements<'a>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, statements: Statements::new(text) }
    }

    /// The item that starts at this byte. `None` at the end of the text.
    pub(super) fn item(&mut self, at: usize) -> Option<Item> {
        if at >= self.text.len() {
            return None;
        }
        self.statements.cursor.start_item(at);
        let (kind, function) = any_item(&mut self.statements);
        Some(self.finish(at, kind, function))
    }

    /// Creates the item from the tokens read. White space and comments after it on the same line belong to
    /// it.
    fn finish(&mut self, at: usize, kind: ItemKind, function: Option<Function>) -> Item {
        let cursor = &mut self.statements.cursor;
        let rest = &self.text[at..];
        let len = match cursor.tokens.last() {
            Some(last) if kind != ItemKind::Blank => {
                last.end() as usize + line_rest(&rest.as_bytes()[last.end() as usize..])
            }
            _ => rest.len(),
        };
        // Tokens beyond the end were read as lookahead and belong to the next item.
        let text: Box<str> = rest[..len].into();
        let comments = cursor.found.comments.partition_point(|comment| (comment.start as usize) < len);
        cursor.found.comments.truncate(comments);
        cursor.found.errors.retain(|error| (error.range.start as usize) < len);
        cursor.found.errors.sort_by_key(|error| error.range.start);
        Item {
            kind,
            tokens: taken(&mut cursor.tokens),
            comments: taken(&mut cursor.found.comments),
            statements: taken(&mut self.statements.list),
            errors: taken(&mut cursor.found.errors),
            function,
            lines: line_ends(text.as_bytes()),
            reach: cursor.reach(),
            hash: Item::hash_of(&text),
            text,
        }
    }
}

/// Reads an item. Returns its kind and, for a function, its head.
fn any_item(out: &mut Statements<'_>) -> (ItemKind, Option<Function>) {
    match out.cursor.kind() {
        None => (ItemKind::Blank, None),
        Some(TokenKind::Modifier) => dotted_item(out),
        Some(_) => {
            out.unexpected("expected a directive");
            (ItemKind::Error, None)
        }
    }
}

/// Reads the item that starts with the current dotted word.
fn dotted_item(out: &mut Statements<'_>) -> (ItemKind, Option<Function>) {
    let word = out.cursor.word();
    if word == ".section" {
        section::section(out);
        return (ItemKind::Section, None);
    }
    if is_linkage(word) || is_space(word) || begins_declaration(word) {
        return variables_or_function(out);
    }
    let read = module_directive(&mut out.cursor, word);
    out.add(0, StatementKind::Directive, read);
    (ItemKind::Directive, None)
}

/// Reads a directive at module scope; `word` is its first word.
fn module_directive(cursor: &mut Cursor<'_>, word: &str) -> Parsed {
    match word {
        ".version" => {
            cursor.bump_as(TokenKind::Directive);
            cursor.expect_kind(TokenKind::Float, "expected a version such as `9.0`")
        }
        ".address_size" => {
            cursor.bump_as(TokenKind::Directive);
            cursor.expect_kind(TokenKind::Integer, "expected 32 or 64")
        }
        ".target" => directive::target(cursor),
        ".file" => directive::file(cursor),
        ".loc" | ".loc_intermediate" => directive::location(cursor),
        ".pragma" | ".alias" => directive::terminated(cursor),
        _ => {
            directive::unknown(cursor);
            Ok(())
        }
    }
}

/// Reads variables or a function.
fn variables_or_function(out: &mut Statements<'_>) -> (ItemKind, Option<Function>) {
    let linkage = is_linkage(out.cursor.word()).then_some(0);
    let head = declaration::head(&mut out.cursor);
    if head.is_ok() && matches!(out.cursor.word(), ".entry" | ".func") {
        return (ItemKind::Function, Some(function::function(out, linkage)));
    }
    let read = head.and_then(|()| declaration::declared(&mut out.cursor));
    out.add(0, StatementKind::Variable, read);
    (ItemKind::Variable, None)
}

/// Length in bytes of the remaining line and its line end if the line holds only white space and comments,
/// otherwise 0.
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

/// An unread item for the remaining text, with an error that states the limit.
pub(super) fn unread(text: &str) -> Item {
    let first = text.chars().next().map_or(0, |first| first.len_utf8() as u32);
    let error = SyntaxError {
        range: 0..first,
        message: "not read: a file may have at most 500,000 directives, variables and functions",
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

/// Number of line ends: `\n`, `\r\n` or `\r`.
pub(super) fn line_ends(text: &[u8]) -> u32 {
    let ends = memchr2_iter(b'\n', b'\r', text);
    ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n')).count() as u32
}
