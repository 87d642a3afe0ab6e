//! Reads values of a TOML document one by one, so that each thing that is wrong is said at its own place.

use crate::Severity;
use crate::engine::config::ConfigError;
use std::fmt::Write;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Something in a launches file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// 1-based.
    pub line: usize,
    /// `Error`: the key, rule or launch that it stands in says nothing. `Warning`: it says less than it seems to.
    pub severity: Severity,
    /// One line: what was expected.
    pub message: String,
    /// The text is no TOML there, so nothing of the file can be relied on.
    pub breaks_file: bool,
}

/// The most problems that are kept. A hostile file of a mebibyte can have a hundred thousand.
const MOST_PROBLEMS: usize = 100;

/// The longest message; names out of the text may be as long as the text.
const LONGEST: usize = 600;

/// The longest name out of the text that a message repeats.
const LONGEST_NAME: usize = 60;

/// A text and what was found wrong with it so far.
pub(super) struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    /// Number of problems, at the front, that say that the text is no TOML.
    unreadable: usize,
    /// Errors so far, kept or not.
    errors: usize,
    /// Problems beyond [`MOST_PROBLEMS`].
    dropped: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new(), unreadable: 0, errors: 0, dropped: 0 }
    }

    /// In text order.
    pub(super) fn problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.range.start);
        if let Some(last) = self.problems.last_mut().filter(|_| self.dropped > 0) {
            let _ = write!(last.message, " (and {} more problems in this file)", self.dropped);
        }
        self.problems
    }

    /// Returns the number of errors so far: it tells whether a value was wrong.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// No further problem is kept, so its message need not be made with care.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() == MOST_PROBLEMS
    }

    pub(super) fn error(&mut self, range: &Range<usize>, message: &str) {
        self.problem(range, Severity::Error, message);
    }

    /// The text is no TOML at that place; to be said before anything else.
    pub(super) fn unreadable(&mut self, range: &Range<usize>, message: &str) {
        // The parser's own words for it name none of ours.
        let too_deep = message.contains("recurse");
        let message = if too_deep { "tables and lists stand too deep in one another" } else { message };
        self.error(range, message);
        self.unreadable = self.problems.len();
        self.problems.iter_mut().for_each(|problem| problem.breaks_file = true);
    }

    pub(super) fn problem(&mut self, range: &Range<usize>, severity: Severity, message: &str) {
        self.errors += usize::from(severity == Severity::Error);
        if self.problems.len() == MOST_PROBLEMS {
            self.dropped += 1;
            return;
        }
        let start = range.start.min(self.text.len());
        let line = self.text.as_bytes()[..start].split(|&byte| byte == b'\n').count();
        // What stands in for an unreadable value is nobody's mistake.
        if self.problems[..self.unreadable].iter().any(|problem| problem.line == line) {
            return;
        }
        self.problems.push(Problem {
            range: start..range.end.clamp(start, self.text.len()),
            line,
            severity,
            message: ConfigError::new(&cut(message, LONGEST)).to_string(),
            breaks_file: false,
        });
    }

    /// The value of a key is not what it should be.
    pub(super) fn expected(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = self.text.get(value.span()).filter(|text| text.len() <= 40 && !text.contains('\n'));
        let found = found.unwrap_or(kind(value.get_ref()));
        self.error(&value.span(), &format!("`{key}`: expected {expected}, not {found}"));
    }

    pub(super) fn string(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.expected(key, value, "a text in quotes");
        }
        text.map(str::to_owned)
    }

    /// An integer within the range.
    pub(super) fn integer(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        within: Range<u64>,
        expected: &str,
    ) -> Option<u64> {
        let number = integer(value.get_ref()).and_then(|number| u64::try_from(number).ok());
        let number = number.filter(|number| within.contains(number));
        if number.is_none() {
            self.expected(key, value, expected);
        }
        number
    }

    /// A number, with or without a point, that `is_right`.
    pub(super) fn number(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        is_right: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Option<f64> {
        let number = float(value.get_ref()).or_else(|| integer(value.get_ref()).map(|number| number as f64));
        let number = number.filter(|number| number.is_finite() && is_right(*number));
        if number.is_none() {
            self.expected(key, value, expected);
        }
        number
    }

    /// The items of a list; none where it is no list.
    pub(super) fn array<'v, 'i>(
        &mut self,
        key: &str,
        value: &'v Spanned<DeValue<'i>>,
        expected: &str,
    ) -> &'v [Spanned<DeValue<'i>>] {
        let array = value.get_ref().as_array();
        if array.is_none() {
            self.expected(key, value, expected);
        }
        array.map_or(&[], AsRef::as_ref)
    }

    pub(super) fn table<'v, 'i>(
        &mut self,
        key: &str,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Option<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.expected(key, value, "a table");
        }
        table
    }
}

/// A value too long to be repeated, in a phrase.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A name out of the text, cut where it is too long for a message.
pub(super) fn name(text: &str) -> std::borrow::Cow<'_, str> {
    cut(text, LONGEST_NAME)
}

fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)]).into()
}

/// An integer however it is written; `None` beyond 128 bits.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

pub(super) fn float(value: &DeValue<'_>) -> Option<f64> {
    value.as_float()?.as_str().parse().ok()
}

/// Returns the members of a table whose keys are known, in the order of the keys: `arch` before `gpu`. Keys that are not
/// known are errors that name the nearest that is, or list all.
pub(super) fn members<'v, 'i>(
    table: &'v DeTable<'i>,
    known: &[&'static str],
    place: &str,
    reader: &mut Reader<'_>,
) -> Vec<(&'static str, &'v Spanned<DeValue<'i>>)> {
    let mut members = Vec::new();
    for (key, value) in table {
        match known.iter().find(|known| **known == key.get_ref().as_ref()) {
            Some(known) => members.push((*known, value)),
            None => unknown(key, known, place, reader),
        }
    }
    members
}

fn unknown(key: &Spanned<DeString<'_>>, known: &[&str], place: &str, reader: &mut Reader<'_>) {
    if reader.is_full() {
        return reader.error(&key.span(), "unknown key");
    }
    let hint = match machine::did_you_mean(key.get_ref(), known.iter().copied()) {
        near if near.is_empty() => format!("; known: {}", known.join(", ")),
        near => near,
    };
    let message = format!("unknown key `{}` in {place}{hint}", name(key.get_ref()));
    reader.error(&key.span(), &message);
}
