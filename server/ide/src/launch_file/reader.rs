//! Reads values of a TOML document one by one, so that each thing that is wrong is said at its own place.

use super::Problem;
use crate::Severity;
use crate::config::ConfigError;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A text and what was found wrong with it so far.
pub(super) struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    /// How many of them, at the front, say that the text is no TOML.
    unreadable: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new(), unreadable: 0 }
    }

    /// In text order.
    pub(super) fn problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.range.start);
        self.problems
    }

    pub(super) fn error(&mut self, range: &Range<usize>, message: &str) {
        self.problem(range, Severity::Error, message);
    }

    /// The text is no TOML at that place; to be said before anything else.
    pub(super) fn unreadable(&mut self, range: &Range<usize>, message: &str) {
        self.error(range, message);
        self.unreadable = self.problems.len();
    }

    pub(super) fn problem(&mut self, range: &Range<usize>, severity: Severity, message: &str) {
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
            message: ConfigError::new(message).to_string(),
        });
    }

    /// The value of a key is not what it should be.
    pub(super) fn expected(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = self.text.get(value.span()).filter(|text| text.len() <= 40 && !text.contains('\n'));
        let found = found.unwrap_or(value.get_ref().type_str());
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

/// An integer however it is written; `None` beyond 128 bits.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

pub(super) fn float(value: &DeValue<'_>) -> Option<f64> {
    value.as_float()?.as_str().parse().ok()
}

/// The members of a table whose keys are known, by the order of `known` reversed where it matters: `arch` before `gpu`.
pub(super) struct Members;

impl Members {
    /// Keys that are not known are errors that list those that are.
    pub(super) fn of<'v, 'i>(
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
}

fn unknown(key: &Spanned<DeString<'_>>, known: &[&str], place: &str, reader: &mut Reader<'_>) {
    let message = format!("unknown key `{}` in {place}; known: {}", key.get_ref(), known.join(", "));
    reader.error(&key.span(), &message);
}
