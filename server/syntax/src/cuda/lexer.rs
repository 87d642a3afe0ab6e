//! Splits a CUDA C++ text into words, literals and single characters, without a grammar.

use super::line_start::LineStart;
use std::ops::Range;

/// A position in a text that is read forwards once.
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    pub at: usize,
    line: LineStart,
    /// True once an unclosed comment was seen. Later comments cannot be closed either.
    has_open_comment: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: LineStart::from(0), has_open_comment: false }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips a comment. An unclosed comment is skipped to the end of its line.
    pub(super) fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        let line = || rest.find('\n').unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            line()
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = if self.has_open_comment { None } else { comment.find("*/") };
            self.has_open_comment = end.is_none();
            end.map_or_else(line, |end| end + 4)
        } else {
            return false;
        };
        self.at += length;
        true
    }

    pub(super) fn token_length(&self, byte: u8) -> usize {
        let rest = self.rest();
        match byte {
            b'"' => quoted(rest, b'"'),
            b'\'' => quoted(rest, b'\''),
            b'R' if rest.starts_with("R\"") => raw_string(rest).unwrap_or(1),
            _ if is_word(byte) => {
                let length = rest.bytes().take_while(|byte| is_word(*byte)).count();
                if matches!(&rest[..length], "u8R" | "uR" | "UR" | "LR") && rest[length..].starts_with('"') {
                    return length - 1 + raw_string(&rest[length - 1..]).unwrap_or(1);
                }
                let has_separator = byte.is_ascii_digit()
                    && rest[length..].starts_with('\'')
                    && rest.as_bytes().get(length + 1).is_some_and(u8::is_ascii_hexdigit);
                if has_separator { length + 1 } else { length }
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        }
    }

    /// The column of the current position; `None` if anything other than blanks precedes the position in its line.
    pub(super) fn column_if_first(&mut self) -> Option<usize> {
        self.line.go_on(self.text.as_bytes(), self.at);
        self.line.is_blank.then(|| self.at - self.line.start)
    }

    /// The end of the directive at this position, including its continuation lines.
    pub(super) fn end_of_directive(&self) -> usize {
        let mut end = self.at;
        for line in self.rest().split_inclusive('\n') {
            end += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        end
    }
}

/// The tokens of the text, without comments and preprocessor directives.
impl Iterator for Lexer<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            match *self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.skip_comment() => {}
                b'#' if self.column_if_first().is_some() => self.at = self.end_of_directive(),
                byte => {
                    let start = self.at;
                    self.at += self.token_length(byte);
                    return Some(start..self.at);
                }
            }
        }
    }
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Length in bytes of a string or character literal. The literal ends with its line at the latest.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 2,
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Length in bytes of `R"name(text)name"`; `None` if it is not closed.
fn raw_string(text: &str) -> Option<usize> {
    const MAX_NAME: usize = 16; // limit: that of C++
    let name = &text[2..2 + text[2..].find('(').filter(|length| *length <= MAX_NAME)?];
    let end = format!("){name}\"");
    Some(text.find(&end)? + end.len())
}
