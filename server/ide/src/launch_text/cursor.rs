//! The cursor in a launch file: the key, value or header around it, and the enclosing tables.

use crate::engine::launch_file::statements::{Statement, statements};
use std::ops::Range;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Syntactic context of a text offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Names of the enclosing tables, outermost first. If the cursor is in a value, the last name is the key of the
    /// value. Lists add no name.
    pub(super) path: Vec<String>,
    pub(super) slot: Slot,
    /// Word at the cursor, including its quotes; an empty range if the cursor is not on a word.
    pub(super) word: Range<usize>,
    /// Statement around the cursor; an empty range if the cursor is not in a statement.
    pub(super) statement: Range<usize>,
    /// Innermost table member or list item around the cursor; the statement if the cursor is in
    /// neither.
    pub(super) member: Member,
}

/// Syntactic role of the text at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A key, with or without a value after it.
    Key { has_value: bool },
    /// A value, or the list item with this index.
    Value { item: Option<usize> },
    /// The name of a table in brackets.
    Header,
}

/// A member of an inline table, an item of a list, or a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) range: Range<usize>,
    pub(super) is_item: bool,
    /// Offset of the preceding comma.
    pub(super) comma: Option<usize>,
    /// Offset of the first token after the comma that follows the member.
    pub(super) next: Option<usize>,
    /// True if this is a statement, not a member or an item.
    pub(super) is_statement: bool,
}

/// An open bracket, with the state of parsing its contents.
#[derive(Debug)]
struct Frame {
    is_list: bool,
    path: Vec<String>,
    /// Components read so far of a dotted key.
    key: Vec<String>,
    is_value: bool,
    item: usize,
    member: usize,
    comma: Option<usize>,
    /// End of the last token of the member.
    end: usize,
}

impl Frame {
    fn new(is_list: bool, path: Vec<String>, at: usize) -> Self {
        Self { is_list, path, key: Vec::new(), is_value: is_list, item: 0, member: at, comma: None, end: at }
    }

    fn named(&self) -> Vec<String> {
        [&self.path[..], &self.key].concat()
    }
}

/// Syntactic context of a byte offset.
pub(super) fn cursor(text: &str, offset: usize) -> Cursor {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let statements = statements(text);
    let holds = |statement: &Statement| {
        let end = statement.range.start + text[statement.range.clone()].trim_end_matches(['\n', '\r']).len();
        statement.range.start <= offset && offset <= end
    };
    let at = statements.iter().find(|statement| holds(statement));
    let before = statements.iter().rev().filter(|other| other.is_header && other.range.start < offset);
    let mut before = before.filter(|other| Some(*other) != at);
    let table = before.next().map(|header| header_names(&text[header.range.clone()])).unwrap_or_default();
    let Some(statement) = at else {
        let member =
            Member { range: offset..offset, is_item: false, comma: None, next: None, is_statement: true };
        return Cursor {
            path: table,
            slot: Slot::Key { has_value: false },
            word: offset..offset,
            statement: offset..offset,
            member,
        };
    };
    walk(text, statement, table, offset)
}

fn walk(text: &str, statement: &Statement, table: Vec<String>, offset: usize) -> Cursor {
    let start = statement.range.start;
    let own = &text[statement.range.clone()];
    let tokens = Source::new(own).lex().into_vec();
    let first_path = if statement.is_header { Vec::new() } else { table };
    let mut frames = vec![Frame::new(false, first_path, start)];
    let mut found: Option<(Vec<String>, Slot, Range<usize>, usize)> = None;
    let mut member: Option<Member> = None;
    for token in &tokens {
        let range = start + token.span().start()..start + token.span().end();
        let kind = token.kind();
        let is_word = is_word(kind);
        let reached = if is_word { range.end >= offset } else { range.end > offset || range.start >= offset };
        if found.is_none() && reached {
            let word = if is_word && range.start <= offset {
                range.start..end_of_word(&text[range.clone()], kind, range.clone(), offset)
            } else {
                offset..offset
            };
            found = frames.last().map(|top| (top.named(), slot(top, statement), word, frames.len()));
        }
        let Some(top) = frames.last_mut() else { break };
        let at = found.as_ref().map(|(.., depth)| *depth);
        match kind {
            TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment | TokenKind::Eof => continue,
            TokenKind::Comma => {
                if at == Some(frames.len()) && member.is_none() {
                    let next = start + next_word(own, range.end - start);
                    member = frames.last().map(|top| finished(top, Some(next), frames.len() == 1));
                }
                if let Some(top) = frames.last_mut() {
                    top.key.clear();
                    top.is_value = top.is_list;
                    top.item += 1;
                    top.comma = Some(range.start);
                    top.member = start + next_word(own, range.end - start);
                    top.end = top.member;
                }
                continue;
            }
            TokenKind::Equals => top.is_value = true,
            TokenKind::LeftSquareBracket if !statement.is_header => {
                top.end = range.end;
                let inner = Frame::new(true, top.named(), start + next_word(own, range.end - start));
                frames.push(inner);
                continue;
            }
            TokenKind::LeftCurlyBracket => {
                top.end = range.end;
                let inner = Frame::new(false, top.named(), start + next_word(own, range.end - start));
                frames.push(inner);
                continue;
            }
            _ if is_word && !top.is_value => {
                let name = unquoted(&text[range.clone()]);
                // The cursor's path was stored above, because a word at the cursor is not part of its
                // own path.
                top.key.push(name);
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket if frames.len() > 1 => {
                if at == Some(frames.len()) && member.is_none() {
                    member = frames.last().map(|top| finished(top, None, false));
                }
                frames.pop();
                if let Some(found) = &mut found {
                    found.3 = found.3.min(frames.len());
                }
            }
            _ => {}
        }
        if let Some(top) = frames.last_mut() {
            top.end = range.end;
        }
    }
    let whole = start..statement.range.end;
    let (path, slot, word, _) = found.unwrap_or_else(|| {
        let top = frames.last();
        let path = top.map(Frame::named).unwrap_or_default();
        (path, top.map_or(Slot::Header, |top| slot(top, statement)), offset..offset, 1)
    });
    let has_value = own[(word.end.max(start) - start).min(own.len())..].trim_start().starts_with('=');
    let slot = if matches!(slot, Slot::Key { .. }) { Slot::Key { has_value } } else { slot };
    let member = member.filter(|member| !member.is_statement && !member.range.is_empty());
    let member = member.unwrap_or(Member {
        range: whole.clone(),
        is_item: false,
        comma: None,
        next: None,
        is_statement: true,
    });
    Cursor { path, slot, word, statement: whole, member }
}

fn slot(top: &Frame, statement: &Statement) -> Slot {
    if statement.is_header {
        Slot::Header
    } else if top.is_list {
        Slot::Value { item: Some(top.item) }
    } else if top.is_value {
        Slot::Value { item: None }
    } else {
        Slot::Key { has_value: false }
    }
}

fn finished(top: &Frame, next: Option<usize>, is_statement: bool) -> Member {
    Member { range: top.member..top.end, is_item: top.is_list, comma: top.comma, next, is_statement }
}

pub(super) const fn is_word(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Atom
            | TokenKind::BasicString
            | TokenKind::LiteralString
            | TokenKind::MlBasicString
            | TokenKind::MlLiteralString
    )
}

/// End of a word. A string without a closing quote ends at the cursor.
fn end_of_word(word: &str, kind: TokenKind, range: Range<usize>, offset: usize) -> usize {
    let is_closed = word.len() > 1 && word.chars().next() == word.chars().next_back();
    if kind == TokenKind::Atom || is_closed { range.end } else { offset }
}

/// Offset of the first character at or after `at` that is not whitespace.
fn next_word(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Removes the quotes around a key.
pub(super) fn unquoted(word: &str) -> String {
    let quote = |c: char| c == '"' || c == '\'';
    word.strip_prefix(quote).map_or(word, |rest| rest.strip_suffix(quote).unwrap_or(rest)).to_owned()
}

/// Components of the dotted name in a table header.
pub(super) fn header_names(header: &str) -> Vec<String> {
    let tokens = Source::new(header).lex().into_vec();
    let words = tokens.iter().filter(|token| is_word(token.kind()));
    words.map(|token| unquoted(&header[token.span().start()..token.span().end()])).collect()
}

/// Ranges of the statements in the table around an offset, without the table's header.
pub(super) fn table_around(text: &str, offset: usize) -> Vec<Range<usize>> {
    let mut table = Vec::new();
    for statement in statements(text) {
        if statement.is_header {
            if statement.range.start > offset {
                break;
            }
            table.clear();
        } else {
            table.push(statement.range);
        }
    }
    table
}
