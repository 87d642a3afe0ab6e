//! The content of a data file, and errors with their position in the file.

use super::file::Key;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// An error in a data file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}:{line}: {expected}")]
pub struct DataError {
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// Phrase that begins with `expected`, or the message of the TOML parser.
    pub expected: String,
}

/// The content of a data file, and the file name for its errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) path: &'a str,
    pub(crate) content: &'a str,
}

impl Text<'_> {
    pub(super) fn toml<T: DeserializeOwned>(self) -> Result<T, DataError> {
        toml::from_str(self.content).map_err(|error| {
            let line = error.span().map_or(1, |span| self.line_at(span.start));
            DataError { path: self.path.into(), line, expected: one_line(error.message()) }
        })
    }

    /// Reads a built-in TOML file.
    pub(crate) fn built_in<T: DeserializeOwned>(self) -> T {
        self.toml().expect("the tests read the same file")
    }

    /// Returns an error unless `is_new` is true. The error states that an earlier line of the table already has this
    /// name.
    pub(crate) fn once(self, is_new: bool, line: usize, what: &str, name: &str) -> Result<(), DataError> {
        if is_new {
            Ok(())
        } else {
            Err(self.error(line, format!("each {what} only once; an earlier line already has `{name}`")))
        }
    }

    pub(crate) fn error(self, line: usize, mut expected: String) -> DataError {
        expected.insert_str(0, "expected ");
        if expected.contains(char::is_control) {
            expected = one_line(&expected);
        }
        DataError { path: self.path.into(), line, expected }
    }

    pub(super) fn error_at(self, key: &Key, expected: String) -> DataError {
        self.error(self.line_at(key.span().start), expected)
    }

    /// 1-based line of a byte offset.
    pub(super) fn line_at(self, offset: usize) -> usize {
        1 + self.content.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }
}

/// A message without line breaks. Names from a user's text may contain line breaks.
fn one_line(message: &str) -> String {
    let words = message.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A file under `data`, embedded at build time.
macro_rules! data_text {
    ($($path:expr),+) => {
        $crate::load::Text {
            path: concat!($($path),+),
            content: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($path),+)),
        }
    };
}

pub(crate) use data_text;
