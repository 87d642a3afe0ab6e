//! Formatting in the style of ptxas: one tab per scope, the opcode, a space and a tab, the operands.
//! Only white space changes. Line breaks are preserved.

use super::lines;
use crate::TextEdit;
use crate::engine::cancel::Cancellable;
use crate::ptx::view::View;
use std::borrow::Cow;
use std::ops::Range;
use syntax::ptx::{Item, ItemKind, Module, Statement, StatementKind, Token, TokenKind};
use syntax::stop;

/// Edits that format a range, in text order. `None` selects the entire text.
///
/// Debug sections, items with syntax errors, comments and the white space before comments are
/// unchanged.
pub(crate) fn format(view: &View<'_>, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
    let range = range.unwrap_or(0..view.module.len());
    let mut edits = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
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

/// Largest number of tabs before a line. It prevents quadratic output for deeply nested scopes.
const DEEPEST: usize = 64; // limit: keeps the output linear in the input

/// A range of white space and its replacement.
type Change = (Range<u32>, String);

fn of_item(item: &Item) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut depth = 0_usize;
    for statement in item.statements() {
        let closes = matches!(statement.kind, StatementKind::Close { .. });
        depth = depth.saturating_sub(usize::from(closes));
        let mut own = FormattedStatement {
            item,
            statement,
            depth,
            parentheses: 0,
            first_register: first_register(item, statement),
        };
        for at in statement.tokens.start..statement.tokens.end {
            stop::check_at(at as usize);
            own.before(at, &mut changes);
            own.passed(at);
        }
        depth += usize::from(matches!(statement.kind, StatementKind::Open { .. }));
    }
    changes
}

/// Index of the first register name in a `.reg` statement, after the type; `None` for other statements.
fn first_register(item: &Item, statement: &Statement) -> Option<u32> {
    let tokens = item.tokens_of(statement.tokens);
    let is_reg = tokens.first().is_some_and(|first| item.token_text(first) == ".reg");
    let following = tokens.iter().position(|token| token.kind != TokenKind::Directive).filter(|_| is_reg)?;
    (tokens[following].kind == TokenKind::Name).then_some(statement.tokens.start + following as u32)
}

/// A statement that is being formatted.
struct FormattedStatement<'a> {
    item: &'a Item,
    statement: &'a Statement,
    depth: usize,
    /// Number of open parentheses after the tokens so far; negative if closing parentheses outnumber
    /// opening parentheses.
    parentheses: isize,
    first_register: Option<u32>,
}

impl FormattedStatement<'_> {
    /// Updates the state after a token was formatted.
    fn passed(&mut self, at: u32) {
        let token = &self.item.tokens()[at as usize];
        self.parentheses += isize::from(token.is(b'(')) - isize::from(token.is(b')'));
    }

    /// Formats the white space before a token.
    fn before(&self, at: u32, changes: &mut Vec<Change>) {
        let token = self.item.tokens()[at as usize];
        let from = at.checked_sub(1).map_or(0, |before| self.item.tokens()[before as usize].end());
        let space = lines::text(self.item, &(from..token.start));
        // The space contains a comment.
        if !space.bytes().all(|byte| byte.is_ascii_whitespace()) {
            let following = space.len() - space.trim_end_matches([' ', '\t']).len();
            let blank = token.start - following as u32..token.start;
            let ends_line = lines::starts_line(self.item, blank.start) && blank.start > 0;
            if ends_line && !self.item.text()[..blank.start as usize].ends_with("*/") {
                self.change(blank, self.indent(at), changes);
            }
            return;
        }
        let ends = line_ends(space);
        let new = match ends.is_empty() {
            true if at == 0 => return,
            true => Cow::Borrowed(self.between(at)),
            false => Cow::Owned(ends + &self.indent(at)),
        };
        self.change(from..token.start, new, changes);
    }

    fn change<'n>(&self, space: Range<u32>, new: impl Into<Cow<'n, str>>, changes: &mut Vec<Change>) {
        let new = new.into();
        if lines::text(self.item, &space) != new {
            changes.push((space, new.into_owned()));
        }
    }

    /// Indentation of a line that starts with this token.
    fn indent(&self, at: u32) -> String {
        let is_first = at == self.statement.tokens.start;
        let token = &self.item.tokens()[at as usize];
        let depth = match self.statement.kind {
            StatementKind::Label => 0,
            StatementKind::Function if token.is(b'(') || token.is(b')') => 0,
            StatementKind::Function => usize::from(self.parentheses > 0),
            StatementKind::Variable | StatementKind::Directive if self.depth == 0 => usize::from(!is_first),
            _ => self.depth,
        };
        "\t".repeat(depth.min(DEEPEST))
    }

    /// White space between a token and the preceding token on the same line.
    fn between(&self, at: u32) -> &str {
        let item = self.item;
        let (before, token) = (&item.tokens()[at as usize - 1], &item.tokens()[at as usize]);
        let space = lines::text(item, &(before.end()..token.start));
        let as_written = if space.is_empty() { "" } else { " " };
        let is_first = at == self.statement.tokens.start;
        match self.statement.kind {
            _ if is_first && self.statement.kind == StatementKind::Label => as_written,
            // The statement follows a label or another statement on its line.
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
            StatementKind::Variable if self.first_register == Some(at) => " \t",
            StatementKind::Directive if at == self.statement.tokens.start + 1 => {
                if matches!(item.directive(self.statement), Some(".loc" | ".file")) { "\t" } else { " " }
            }
            StatementKind::Variable | StatementKind::Directive | StatementKind::Function => {
                near_punctuation(before, token).unwrap_or(as_written)
            }
            _ => as_written,
        }
    }
}

/// White space next to punctuation; `None` if the white space stays as written.
fn near_punctuation(before: &Token, token: &Token) -> Option<&'static str> {
    match (before.kind, token.kind) {
        (_, TokenKind::Punct(b',' | b';' | b')' | b']' | b'}'))
        | (TokenKind::Punct(b'(' | b'[' | b'{' | b'!' | b'~'), _) => Some(""),
        (TokenKind::Punct(b','), _) => Some(" "),
        _ => None,
    }
}

/// Line breaks in white space, without blanks; empty if the white space has no line break.
fn line_ends(space: &str) -> String {
    space.chars().filter(|&letter| letter.is_ascii() && lines::is_line_end(letter as u8)).collect()
}

/// True if the changed text has the same tokens and therefore the same meaning. Parses the changed text
/// in linear time.
fn keeps_tokens(item: &Item, changes: &[Change]) -> bool {
    let mut text = String::with_capacity(item.text().len() + changes.len());
    let mut at = 0;
    for (space, new) in changes {
        let blank = lines::text(item, space);
        let is_in_order = at <= space.start && space.start <= space.end;
        if !is_in_order || !blank.bytes().chain(new.bytes()).all(|byte| byte.is_ascii_whitespace()) {
            return false;
        }
        text.push_str(lines::text(item, &(at..space.start)));
        text.push_str(new);
        at = space.end;
    }
    text.push_str(&item.text()[at as usize..]);
    let changed = Module::parse(&text);
    let read = changed
        .items()
        .iter()
        .flat_map(|item| item.tokens().iter().map(move |token| (token.kind, item.token_text(token))));
    let own = item.tokens().iter().map(|token| (token.kind, item.token_text(token)));
    own.eq(read) && changed.items().iter().all(|item| item.errors().is_empty())
}

#[cfg(test)]
mod tests {
    use crate::{Cancel, Host};

    /// Shortest of three times for formatting this many lines if all white space changes.
    #[expect(clippy::disallowed_methods, reason = "the test is of time")]
    fn time(lines: usize) -> std::time::Duration {
        let body = "mad.lo.s32 %r1,%r2,%r3,%r4;\n".repeat(lines);
        let text = format!(".version 8.0\n.target sm_90\n.entry k()\n{{\n.reg .b32 %r<9>;\n{body}ret;\n}}\n");
        let mut host = Host::default();
        host.open("k.ptx", 1, &text);
        let analysis = host.snapshot("k.ptx", Cancel::default()).expect("it is open");
        let times = (0..3).map(|_| {
            let start = std::time::Instant::now();
            let edits = analysis.format(None).expect("nothing cancels it");
            assert!(edits.len() > 4 * lines, "{} edits", edits.len());
            start.elapsed()
        });
        times.min().unwrap_or_default()
    }

    /// Eight times the lines take eight times as long if time is linear, and 64 times if it is quadratic.
    #[test]
    fn time_is_near_linear_in_the_number_of_lines() {
        let (few, many) = (time(5_000), time(40_000));
        assert!(many < few * 24, "{few:?} for 5,000 lines, {many:?} for 40,000");
    }

    #[test]
    fn scopes_in_scopes_are_not_indented_without_end() {
        let text = format!(
            ".version 8.0\n.target sm_90\n.entry k()\n{}{}",
            "{\n".repeat(5_000),
            "}\n".repeat(5_000)
        );
        let mut host = Host::default();
        host.open("k.ptx", 1, &text);
        let analysis = host.snapshot("k.ptx", Cancel::default()).expect("it is open");
        let edits = analysis.format(None).expect("nothing cancels it");
        let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
        assert!(added < 100 * text.len(), "{added} bytes for {}", text.len());
    }
}
