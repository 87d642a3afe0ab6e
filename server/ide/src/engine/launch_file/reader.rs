//! Reads the values of a TOML document and reports each error at its own range.

use super::problem::{Problem, Suggestion};
use crate::Severity;
use crate::engine::config::ConfigError;
use model::DataFile;
use std::fmt::Write;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Largest number of problems that are kept. A malicious file of one MiB can have a hundred thousand
/// problems.
const MAX_PROBLEMS: usize = 100; // limit: more are noise

/// Longest message, in bytes. A name in the file may be as long as the file.
const LONGEST: usize = 600; // limit: a message of some lines

/// Longest name from the file that a message quotes, in bytes.
const LONGEST_NAME: usize = 60; // limit: one line of a message

/// A reader of the data files that launches name. The argument is the path in the launches file, relative to its
/// folder. `Ok(None)` if the file is not read now; `Err` has the reason why it cannot be read, in one line.
pub type DataFileReader<'a> = dyn Fn(&str) -> Result<Option<DataFile>, String> + 'a;

/// A reader that returns `Ok(None)` for every data file, so that the contents of all data files are unknown.
pub(crate) const NO_FILES: &DataFileReader<'static> = &|_| Ok(None);

/// A TOML file and the problems found in it so far.
pub(super) struct Reader<'t> {
    text: &'t str,
    files: &'t DataFileReader<'t>,
    problems: Vec<Problem>,
    /// Number of errors so far, including the errors that were dropped.
    errors: usize,
    /// Number of problems that were dropped because of [`MAX_PROBLEMS`].
    dropped: usize,
    /// Range start and message of the first error since [`Self::watch`].
    watched: Option<(usize, String)>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, files: &'t DataFileReader<'t>) -> Self {
        Self { text, files, problems: Vec::new(), errors: 0, dropped: 0, watched: None }
    }

    /// Reads a data file, as described at [`DataFileReader`].
    pub(super) fn data_file(&self, path: &str) -> Result<Option<DataFile>, String> {
        (self.files)(path)
    }

    /// Returns the problems in text order.
    pub(super) fn problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.range.start);
        if let Some(last) = self.problems.last_mut().filter(|_| self.dropped > 0) {
            let _ = write!(last.message, " (and {} more problems in this file)", self.dropped);
        }
        self.problems
    }

    /// Returns the number of errors so far. A value is valid if reading it does not increase the number.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// True if no further problem will be kept. Callers then need no detailed message.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() == MAX_PROBLEMS
    }

    /// Clears the watched error. [`Self::watched`] then returns the next error that is reported.
    pub(super) fn watch(&mut self) {
        self.watched = None;
    }

    /// Returns the 1-based line and the message of the first error since [`Self::watch`]. `None` if there was no
    /// error.
    pub(super) fn watched(&self) -> Option<(usize, String)> {
        let (start, message) = self.watched.as_ref()?;
        Some((self.line(*start), message.clone()))
    }

    pub(super) fn error(&mut self, range: &Range<usize>, message: &str) {
        self.problem(range, Severity::Error, message);
    }

    /// Reports an error in a key or a rule. The key or rule then keeps its value from the previous file.
    pub(super) fn error_of(&mut self, key: &str, range: &Range<usize>, message: &str) {
        self.error_with(Some(key), range, message, None);
    }

    /// Reports an error with a suggested replacement. `key` is the key or rule that keeps its value from the
    /// previous file.
    pub(super) fn error_with(
        &mut self,
        key: Option<&str>,
        range: &Range<usize>,
        message: &str,
        suggestion: Option<Suggestion>,
    ) {
        let kept = self.problems.len();
        self.problem(range, Severity::Error, message);
        if let Some(problem) = self.problems.get_mut(kept) {
            problem.key = key.map(|key| name(key).into_owned());
            problem.suggestion = suggestion;
        }
    }

    /// Reports a TOML syntax error at a range in the statement of `key`.
    pub(super) fn unreadable(
        &mut self,
        key: Option<&str>,
        range: &Range<usize>,
        message: &str,
        suggestion: Option<Suggestion>,
    ) {
        let message = in_plain_words(message);
        let kept = self.problems.len();
        self.error_with(key, range, message, suggestion);
        self.problems[kept..].iter_mut().for_each(|problem| problem.is_syntax = true);
    }

    /// Marks all syntax errors reported so far as breaking the file. A broken file is ignored.
    pub(super) fn break_file(&mut self) {
        self.problems
            .iter_mut()
            .filter(|problem| problem.is_syntax)
            .for_each(|problem| problem.breaks_file = true);
    }

    pub(super) fn problem(&mut self, range: &Range<usize>, severity: Severity, message: &str) {
        let start = range.start.min(self.text.len());
        if severity == Severity::Error {
            self.errors += 1;
            if self.watched.is_none() {
                self.watched = Some((start, ConfigError::new(&cut(message, LONGEST)).to_string()));
            }
        }
        if self.is_full() {
            self.dropped += 1;
            return;
        }
        self.problems.push(Problem {
            range: start..range.end.clamp(start, self.text.len()),
            line: self.line(start),
            severity,
            message: ConfigError::new(&cut(message, LONGEST)).to_string(),
            key: None,
            suggestion: None,
            is_syntax: false,
            breaks_file: false,
        });
    }

    /// Returns the text in a range of the file. `None` if the range is invalid.
    pub(super) fn text(&self, range: &Range<usize>) -> Option<&'t str> {
        self.text.get(range.clone())
    }

    /// Returns the 1-based line of a byte offset.
    fn line(&self, start: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[..start]).count() + 1
    }

    /// Reports that the value of a key differs from the expected value.
    pub(super) fn expected(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        self.expected_instead(key, value, expected, None);
    }

    /// Reports an unexpected value like [`Self::expected`], with a suggested replacement.
    pub(super) fn expected_instead(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
        instead: Option<String>,
    ) {
        let found = self.text.get(value.span()).filter(|text| text.len() <= 40 && !text.contains('\n'));
        let found = found.unwrap_or(kind(value.get_ref()));
        let hint = instead
            .as_ref()
            .filter(|_| value.get_ref().is_str())
            .map(|meant| format!("; did you mean {meant}?"));
        let message = format!("`{key}`: expected {expected}, not {found}{}", hint.unwrap_or_default());
        let suggestion = instead.map(|text| Suggestion { range: value.span(), text });
        self.error_with(Some(key), &value.span(), &message, suggestion);
    }

    /// Reports that the value of a key is not in the list of known words.
    pub(super) fn expected_word(&mut self, key: &str, value: &Spanned<DeValue<'_>>, known: &[&str]) {
        let word = value.get_ref().as_str();
        let by_another_word = |word: &str| {
            let others = LEVEL_SYNONYMS.iter().filter(|(_, level)| known.contains(level));
            let others: Vec<_> = others.collect();
            let names = || others.iter().map(|(other, _)| *other);
            let meant = names().find(|other| *other == word).or_else(|| machine::nearest_name(word, names()));
            others.iter().find(|(other, _)| Some(*other) == meant).map(|(_, level)| *level)
        };
        let near = word.and_then(|word| {
            machine::nearest_name(word, known.iter().copied()).or_else(|| by_another_word(word))
        });
        self.expected_instead(
            key,
            value,
            &machine::any_of(known.iter().map(|word| format!("\"{word}\""))),
            near.map(|near| format!("\"{near}\"")),
        );
    }

    pub(super) fn string(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.expected(key, value, "a string in quotes");
        }
        text.map(str::to_owned)
    }

    /// Reads an integer in a range. Reports any other value and returns `None`.
    pub(super) fn integer(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        within: Range<u64>,
        expected: &str,
    ) -> Option<u64> {
        let written = integer(value.get_ref());
        let number = written.and_then(|number| u64::try_from(number).ok());
        let number = number.filter(|number| within.contains(number));
        if number.is_none() {
            let most = i128::from(within.end) - 1;
            let nearest = written.map(|number| number.clamp(i128::from(within.start), most).to_string());
            self.expected_instead(key, value, expected, nearest);
        }
        number
    }

    /// Reads a finite integer or float in a range. Reports any other value and returns `None`.
    pub(super) fn number(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        within: RangeInclusive<f64>,
        expected: &str,
    ) -> Option<f64> {
        let written = float(value.get_ref()).or_else(|| integer(value.get_ref()).map(|number| number as f64));
        let number = written.filter(|number| number.is_finite() && within.contains(number));
        if number.is_none() {
            let nearest = written.filter(|number| !number.is_nan());
            let nearest = nearest.map(|number| number.clamp(*within.start(), *within.end()));
            // The bound of an almost unbounded range is not a useful suggestion.
            let nearest = nearest.filter(|nearest| *nearest <= 0.0 || (1e-9..1e18).contains(nearest));
            self.expected_instead(key, value, expected, nearest.map(|nearest| format!("{nearest:?}")));
        }
        number
    }

    /// Returns the items of a list. Reports any other value and returns an empty slice.
    pub(super) fn array<'v, 'i>(
        &mut self,
        key: &str,
        value: &'v Spanned<DeValue<'i>>,
        expected: &str,
    ) -> &'v [Spanned<DeValue<'i>>] {
        let array = value.get_ref().as_array();
        if array.is_none() {
            let one = self.text.get(value.span()).filter(|_| value.get_ref().is_str());
            let list = one.map(|text| format!("[{text}]"));
            self.expected_instead(key, value, expected, list);
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

/// Describes the type of a value: `a string`, `a list`.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Returns a name from the file, cut if it is too long for a message.
pub(super) fn name(text: &str) -> std::borrow::Cow<'_, str> {
    cut(text, LONGEST_NAME)
}

fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)]).into()
}

/// Returns an integer in any TOML notation. `None` for other values, and for integers of more than 128 bits.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

pub(super) fn float(value: &DeValue<'_>) -> Option<f64> {
    value.as_float()?.as_str().parse().ok()
}

/// Returns the members of a table that have known keys, in alphabetical order of the keys: `arch` before
/// `gpu`. Reports each unknown key with the nearest known key, or with all known keys if no key is near.
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
    let near = meant(key.get_ref(), known);
    let hint = match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; known: {}", known.join(", ")),
    };
    let message = format!("unknown key `{}` in {place}{hint}", name(key.get_ref()));
    let suggestion = near.map(|near| Suggestion { range: key.span(), text: near.to_owned() });
    reader.error_with(None, &key.span(), &message, suggestion);
}

/// Prefixes of the TOML parser's messages, each with the text that users see.
const PLAIN_WORDS: [(&str, &str); 24] = [
    ("cannot recurse", "tables and lists are nested too deeply"),
    ("recursion", "tables and lists are nested too deeply"),
    ("unexpected key or value", "expected the end of the line before this"),
    ("key with no value", "expected `=` and a value after the key"),
    ("missing value", "expected a value after `=`"),
    ("extra `=`", "expected a value, not another `=`"),
    ("string values must be quoted", "expected quotes around a string"),
    ("missing opening quote", "expected a quote before the string"),
    ("invalid basic string", "expected a quote at the end of the string"),
    ("invalid literal string", "expected a quote at the end of the string"),
    ("unclosed array table", "expected `]]` at the end of the header"),
    ("unclosed table", "expected `]` at the end of the header"),
    ("unclosed array", "expected `]` at the end of the list"),
    ("unclosed inline table", "expected `}` at the end of the table"),
    ("missing comma between array", "expected a comma between two values of the list"),
    ("missing comma between key", "expected a comma between two keys of the table"),
    ("extra comma", "expected a value or a key before the comma"),
    ("unexpected `=` in array", "expected a comma or `]` in the list, not `=`"),
    ("missing assignment", "expected `=` between the key and its value"),
    ("missing key", "expected a key"),
    ("duplicate key", "this key is defined twice"),
    ("cannot extend", "this key already has a value, so it cannot have keys of its own"),
    ("invalid unquoted key", "expected a key of letters, digits, `_` and `-`"),
    ("unquoted keys cannot be empty", "expected a key"),
];

/// Returns the text that users see for a message of the TOML parser, without names from the parser's grammar.
fn in_plain_words(message: &str) -> &str {
    let known = PLAIN_WORDS.iter().find(|(start, _)| message.starts_with(start));
    known.map_or_else(|| message.split(", expected ").next().unwrap_or(message), |(_, plain)| plain)
}

/// Names of levels in other tools, with the corresponding level in this file.
const LEVEL_SYNONYMS: [(&str, &str); 6] = [
    ("warn", "warning"),
    ("err", "error"),
    ("information", "info"),
    ("note", "info"),
    ("none", "off"),
    ("ignore", "off"),
];

/// Names of keys in other tools, with the corresponding key in this file.
const SYNONYMS: [(&str, &str); 6] = [
    ("kernel", "function"),
    ("threads", "block"),
    ("blocks", "grid"),
    ("args", "params"),
    ("shared", "dynamic_shared"),
    ("regs", "registers"),
];

/// Returns the known key that a word resembles: a synonym of the word, a similar spelling, or a prefix of the
/// word (`grid` for `grid_dim`). `None` if no key is similar.
pub(super) fn meant<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > LONGEST_NAME {
        return None;
    }
    let by_another_word = SYNONYMS.iter().find(|(other, _)| *other == word).map(|(_, key)| *key);
    let is_longer = |key: &&&str| key.len() > 2 && word.strip_prefix(**key).is_some();
    let known_word = known.iter().find(|key| Some(**key) == by_another_word);
    let near = || machine::nearest_name(word, known.iter().copied());
    known_word.copied().or_else(near).or_else(|| known.iter().find(is_longer).copied())
}
