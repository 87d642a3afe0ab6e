//! Quick fixes for problems in a launch file.

use super::cursor::{Cursor, Slot, cursor, header_names, unquoted};
use super::keys::{Kind, key};
use crate::Fix;
use crate::engine::launch_file::statements::statements;
use crate::engine::launch_file::{LaunchFile, NO_FILES, Problem};
use crate::engine::plain::TextEdit;
use machine::Machine;
use std::ops::Range;

/// Largest number of problems that get fixes in one request. Each fix is verified by parsing the
/// changed text.
const MAX: usize = 8; // limit: each fix requires parsing the text again

/// Maximum length, in bytes, of a name that the title of a fix quotes.
const LONGEST: usize = 40; // limit: one line of a menu

/// Problems that overlap a range. Each problem has the fixes that help, preferred fix first.
pub(crate) fn fixes(text: &str, range: &Range<usize>, machine: &Machine) -> Vec<(Problem, Vec<Fix>)> {
    let problems = LaunchFile::read_for(text, Some(machine), NO_FILES).1;
    let count = problems.len();
    let touched =
        problems.into_iter().filter(|one| one.range.start <= range.end && range.start <= one.range.end);
    touched
        .take(MAX)
        .map(|problem| {
            let left = |fix: &Fix| {
                let after = TextEdit::apply(&fix.edits, text);
                LaunchFile::read_for(&after, Some(machine), NO_FILES).1
            };
            // Offer only fixes that help. A corrected key may reveal a problem with its value, which
            // also counts as progress.
            let helps = |fix: &Fix| {
                let left = left(fix);
                left.len() < count
                    || left.len() == count && left.iter().all(|one| one.message != problem.message)
            };
            let mut fixes: Vec<Fix> = suggested(text, &problem).into_iter().filter(helps).collect();
            fixes.extend(removed(text, &problem).filter(|fix| left(fix).len() < count));
            (problem, fixes)
        })
        .filter(|(_, fixes)| !fixes.is_empty())
        .collect()
}

/// The fix that applies the problem's suggestion.
fn suggested(text: &str, problem: &Problem) -> Option<Fix> {
    let suggestion = problem.suggestion.as_ref()?;
    let was = text.get(suggestion.range.clone()).unwrap_or_default().trim();
    let text = suggestion.text.trim();
    let edit = TextEdit { range: suggestion.range.clone(), text: suggestion.text.clone() };
    let is_short = text.len() <= LONGEST;
    let title = match (was.is_empty(), is_short) {
        (true, true) => format!("Add `{text}`"),
        (true, false) => "Add the suggested text".to_owned(),
        (false, true) if is_name(was) => format!("Change `{was}` to `{text}`"),
        (false, true) => format!("Change to `{text}`"),
        (false, false) => "Change to the suggested text".to_owned(),
    };
    Some(Fix { title, edits: vec![edit], preferred: true, suppresses: false })
}

/// True if a text is a key or word that is short enough for a title.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.len() <= LONGEST
        && text.bytes().all(is_part)
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// The fix that removes the invalid text.
fn removed(text: &str, problem: &Problem) -> Option<Fix> {
    let at = cursor(text, problem.range.start);
    let is_item = at.member.is_item && !key(&at.path).is_some_and(|key| key.kind == Kind::List);
    let (name, range) = if at.slot == Slot::Header {
        let names = header_names(&text[at.statement.clone()]);
        (format!("[{}]", names.join(".")), table(text, &at.statement))
    } else if is_item || at.member.is_statement {
        (name_of(text, &at.statement), lines(text, &at.statement))
    } else {
        (name_of(text, &at.member.range), member(&at))
    };
    if range.is_empty() {
        return None;
    }
    let title = if name.is_empty() || name.len() > LONGEST {
        "Remove the invalid text".to_owned()
    } else {
        format!("Remove `{name}`")
    };
    let edit = TextEdit { range, text: String::new() };
    Some(Fix { title, edits: vec![edit], preferred: false, suppresses: false })
}

/// Text in a range without quotes: the key before an equals sign, or a complete list item.
fn name_of(text: &str, range: &Range<usize>) -> String {
    let own = text[range.clone()].split(['=', '\n']).next().unwrap_or_default();
    unquoted(own.trim())
}

/// Range of an inline-table member or list item with one adjacent comma.
fn member(at: &Cursor) -> Range<usize> {
    let own = &at.member;
    match (own.next, own.comma) {
        (Some(next), _) => own.range.start..next,
        (None, Some(comma)) => comma..own.range.end,
        (None, None) => own.range.clone(),
    }
}

/// Range of the lines of a statement.
fn lines(text: &str, statement: &Range<usize>) -> Range<usize> {
    let start = text[..statement.start].rfind('\n').map_or(0, |end| end + 1);
    start..statement.end
}

/// Range of a table's lines, up to the next header.
fn table(text: &str, header: &Range<usize>) -> Range<usize> {
    let next = statements(text).into_iter().find(|other| other.is_header && other.range.start >= header.end);
    let end = next.map_or(text.len(), |next| text[..next.range.start].rfind('\n').map_or(0, |end| end + 1));
    lines(text, header).start..end.max(header.end)
}
