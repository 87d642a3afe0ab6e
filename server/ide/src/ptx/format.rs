//! Formatting in the manner of the vendor's compiler: a tab for each scope, the opcode, a space and a tab, the operands.
//! White space alone changes, and line ends stay where they are.

use super::{View, lines};
use crate::TextEdit;
use crate::kernel::Answer;
use std::ops::Range;
use syntax::ptx::{Item, ItemKind, Module, Statement, StatementKind, Token, TokenKind};

/// The edits for what lies in the range (all for `None`), in text order.
///
/// Sections of debug information stay as they are, as do comments and the white space before them, and items that cannot be
/// read.
pub(crate) fn format(view: &View<'_>, range: Option<Range<usize>>) -> Answer<Vec<TextEdit>> {
    let range = range.unwrap_or(0..view.module.len());
    let mut edits = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.analysis.cancel.check()?;
        let start = view.start(index);
        let is_outside = start + item.text().len() < range.start || range.end < start;
        let is_left = matches!(item.kind(), ItemKind::Section | ItemKind::Blank | ItemKind::Error);
        if is_outside || is_left || !item.errors().is_empty() {
            continue;
        }
        let own = of_item(item);
        if !keeps_tokens(item, &own) {
            continue;
        }
        let placed = own.into_iter().map(|(space, text)| TextEdit {
            range: start + space.start as usize..start + space.end as usize,
            text,
        });
        edits.extend(placed.filter(|edit| edit.range.start <= range.end && range.start <= edit.range.end));
    }
    Ok(edits)
}

/// White space and what it becomes, where that is something else.
type Change = (Range<u32>, String);

fn of_item(item: &Item) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut depth = 0_usize;
    for statement in item.statements() {
        let closes = matches!(statement.kind, StatementKind::Close { .. });
        depth = depth.saturating_sub(usize::from(closes));
        let own = Own { item, statement, depth };
        for at in statement.tokens.start..statement.tokens.end {
            own.before(at, &mut changes);
        }
        depth += usize::from(matches!(statement.kind, StatementKind::Open { .. }));
    }
    changes
}

/// One statement that is formatted.
struct Own<'a> {
    item: &'a Item,
    statement: &'a Statement,
    depth: usize,
}

impl Own<'_> {
    /// What stands before the token of that index.
    fn before(&self, at: u32, changes: &mut Vec<Change>) {
        let token = self.item.tokens()[at as usize];
        let from = at.checked_sub(1).map_or(0, |before| self.item.tokens()[before as usize].end());
        let space = lines::text(self.item, &(from..token.start));
        // A comment is among it.
        if !space.bytes().all(|byte| byte.is_ascii_whitespace()) {
            let behind = space.len() - space.trim_end_matches([' ', '\t']).len();
            let blank = token.start - behind as u32..token.start;
            let ends_line = lines::starts_line(self.item, blank.start) && blank.start > 0;
            if ends_line && !self.item.text()[..blank.start as usize].ends_with("*/") {
                self.change(blank, self.indent(at), changes);
            }
            return;
        }
        let ends = line_ends(space);
        let new = match ends.is_empty() {
            true if at == 0 => return,
            true => self.between(at).to_owned(),
            false => ends + &self.indent(at),
        };
        self.change(from..token.start, new, changes);
    }

    fn change(&self, space: Range<u32>, new: String, changes: &mut Vec<Change>) {
        if lines::text(self.item, &space) != new {
            changes.push((space, new));
        }
    }

    /// What a line that starts with this token is indented by.
    fn indent(&self, at: u32) -> String {
        let is_first = at == self.statement.tokens.start;
        let token = &self.item.tokens()[at as usize];
        let depth = match self.statement.kind {
            StatementKind::Label => 0,
            StatementKind::Function if token.is(b'(') || token.is(b')') => 0,
            StatementKind::Function => usize::from(self.is_in_parentheses(at)),
            StatementKind::Variable | StatementKind::Directive if self.depth == 0 => usize::from(!is_first),
            _ => self.depth,
        };
        "\t".repeat(depth)
    }

    fn is_in_parentheses(&self, at: u32) -> bool {
        let before = &self.item.tokens()[self.statement.tokens.start as usize..at as usize];
        let count = |punct| before.iter().filter(|token| token.is(punct)).count();
        count(b'(') > count(b')')
    }

    /// What stands between the token and the one before it on its line.
    fn between(&self, at: u32) -> &str {
        let item = self.item;
        let (before, token) = (&item.tokens()[at as usize - 1], &item.tokens()[at as usize]);
        let space = lines::text(item, &(before.end()..token.start));
        let as_written = if space.is_empty() { "" } else { " " };
        let is_first = at == self.statement.tokens.start;
        match self.statement.kind {
            _ if is_first && self.statement.kind == StatementKind::Label => as_written,
            // Behind a label, or a second statement on the line.
            _ if is_first => {
                if before.is(b':') {
                    "\t"
                } else {
                    " "
                }
            }
            StatementKind::Instruction { opcode, operands } => {
                if (opcode + 1..operands).contains(&at) {
                    ""
                } else if at == opcode {
                    " "
                } else if at == operands {
                    if token.is(b';') { "" } else { " \t" }
                } else if at < opcode {
                    ""
                } else {
                    near_punctuation(before, token).unwrap_or(as_written)
                }
            }
            StatementKind::Variable if self.is_first_register(at) => " \t",
            StatementKind::Directive if at == self.statement.tokens.start + 1 => {
                if matches!(item.directive(self.statement), Some(".loc" | ".file")) { "\t" } else { " " }
            }
            StatementKind::Variable | StatementKind::Directive | StatementKind::Function => {
                near_punctuation(before, token).unwrap_or(as_written)
            }
            _ => as_written,
        }
    }

    /// True for the first name behind `.reg` and its type.
    fn is_first_register(&self, at: u32) -> bool {
        let tokens = &self.item.tokens()[self.statement.tokens.start as usize..at as usize];
        let is_directive = |token: &Token| token.kind == TokenKind::Directive;
        let is_reg = tokens.first().is_some_and(|first| self.item.token_text(first) == ".reg");
        is_reg && tokens.iter().all(is_directive) && self.item.tokens()[at as usize].kind == TokenKind::Name
    }
}

/// What punctuation asks for on its sides; `None` where the writer chooses.
fn near_punctuation(before: &Token, token: &Token) -> Option<&'static str> {
    match (before.kind, token.kind) {
        (_, TokenKind::Punct(b',' | b';' | b')' | b']' | b'}'))
        | (TokenKind::Punct(b'(' | b'[' | b'{' | b'!' | b'~'), _) => Some(""),
        (TokenKind::Punct(b','), _) => Some(" "),
        _ => None,
    }
}

/// The line ends in white space, without the blanks between; empty where it has none.
fn line_ends(space: &str) -> String {
    space.chars().filter(|&letter| letter.is_ascii() && lines::is_line_end(letter as u8)).collect()
}

/// True where the changed text has the same tokens, so that it means the same.
fn keeps_tokens(item: &Item, changes: &[Change]) -> bool {
    let mut text = item.text().to_owned();
    for (space, new) in changes.iter().rev() {
        text.replace_range(space.start as usize..space.end as usize, new);
    }
    let changed = Module::parse(&text);
    let read = changed
        .items()
        .iter()
        .flat_map(|item| item.tokens().iter().map(move |token| (token.kind, item.token_text(token))));
    let own = item.tokens().iter().map(|token| (token.kind, item.token_text(token)));
    own.eq(read) && changed.items().iter().all(|item| item.errors().is_empty())
}
