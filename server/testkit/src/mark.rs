//! Reader and writer for the notation of a mark.
//!
//! - `//   ^^^ tag: text`: the carets are below the range of the answer; a single caret also marks an empty range.
//! - `// <-- tag: text`: a range as long as the arrow, from the column of the first slash on, for ranges in columns
//!   that a caret cannot reach.
//! - `// tag: text`: the complete line. Only the tags in [`LINE_TAGS`] are read this way; anything else is a normal
//!   comment.
//! - `//   : text`: a continuation line of the mark above.

use std::fmt::Write;
use std::ops::Range;

/// Tags of answers about complete lines.
const LINE_TAGS: &[&str] = &["fold", "gpu", "selection"];

/// Contents of a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Character columns of the line; `None` for the complete line. Never empty: an empty range is marked as one
    /// character.
    pub columns: Option<Range<usize>>,
    pub tag: String,
    pub text: String,
}

impl Mark {
    /// Reads a line of a fixture; `None` if it is not a mark.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let slashes = line.len() - line.trim_start().len();
        let body = line[slashes..].strip_prefix("//")?;
        let pointer = body.trim_start();
        let column = slashes + 2 + body.len() - pointer.len();
        let (columns, rest) = if pointer.starts_with('^') {
            let rest = pointer.trim_start_matches('^');
            (Some(column..column + pointer.len() - rest.len()), rest)
        } else if pointer.starts_with('<') && !pointer.starts_with("<=") {
            let rest = pointer[1..].trim_start_matches('-');
            (Some(slashes..slashes + pointer.len() - rest.len()), rest)
        } else {
            (None, pointer)
        };
        let (tag, text) = tag_and_text(rest.trim_start())?;
        let kind = tag.split('[').next().unwrap_or(tag);
        if columns.is_none() && !LINE_TAGS.contains(&kind) {
            return None;
        }
        Some(Self { columns, tag: tag.to_owned(), text: text.to_owned() })
    }

    /// Reads a continuation line of a mark; `None` for other lines.
    pub(crate) fn read_continuation(line: &str) -> Option<&str> {
        let text = line.strip_prefix("//")?.trim_start().strip_prefix(':')?;
        Some(text.strip_prefix(' ').unwrap_or(text))
    }

    /// Writes the lines of this mark, each with its line ending.
    pub(crate) fn write(&self, out: &mut String) {
        let pointer = match &self.columns {
            None => "// ".to_owned(),
            Some(columns) if columns.start >= 3 => {
                format!("//{}{} ", " ".repeat(columns.start - 2), "^".repeat(columns.len()))
            }
            Some(columns) => {
                format!("{}// <{} ", " ".repeat(columns.start), "-".repeat(columns.len() - 1))
            }
        };
        let mut lines = self.text.lines();
        let first = format!("{pointer}{}: {}", self.tag, lines.next().unwrap_or_default());
        let _ = writeln!(out, "{}", first.trim_end());
        for line in lines {
            let _ = writeln!(out, "{}", format!("//   : {line}").trim_end());
        }
    }
}

/// Splits `hint[latency]: ~25c` into tag and text. A tag is a word, optionally followed by a second word in brackets.
fn tag_and_text(text: &str) -> Option<(&str, &str)> {
    let colon = text.find(':')?;
    let (tag, rest) = text.split_at(colon);
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte))
    };
    let well_formed = match tag.split_once('[') {
        Some((kind, inside)) => is_word(kind) && inside.strip_suffix(']').is_some_and(is_word),
        None => is_word(tag),
    };
    well_formed.then(|| (tag, rest[1..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(columns: Option<Range<usize>>, tag: &str, text: &str) -> Mark {
        Mark { columns, tag: tag.into(), text: text.into() }
    }

    #[test]
    fn marks_are_written_as_they_are_read() {
        for (line, expected) in [
            ("//      ^^^ hint[latency]: ~25c", mark(Some(8..11), "hint[latency]", "~25c")),
            ("// <-- token: label", mark(Some(0..3), "token", "label")),
            ("  // < hint: @0", mark(Some(2..3), "hint", "@0")),
            ("// fold[region]: to `EXIT`", mark(None, "fold[region]", "to `EXIT`")),
        ] {
            assert_eq!(Mark::read(line), Some(expected.clone()), "{line}");
            let mut written = String::new();
            expected.write(&mut written);
            assert_eq!(written.trim_end(), line);
        }
    }

    #[test]
    fn comments_are_no_marks() {
        for line in
            ["// note: plain", "// 3^2 is 9", "/*0000*/ EXIT ;", "# ^ hint: x", "//", "// ^ points up"]
        {
            assert_eq!(Mark::read(line), None, "{line}");
        }
    }

    #[test]
    fn an_answer_may_have_several_lines() {
        let mut written = String::new();
        mark(Some(4..5), "hover", "one\n\ntwo").write(&mut written);
        assert_eq!(written, "//  ^ hover: one\n//   :\n//   : two\n");
        let lines: Vec<_> = written.lines().skip(1).map(Mark::read_continuation).collect();
        assert_eq!(lines, [Some(""), Some("two")]);
    }
}
