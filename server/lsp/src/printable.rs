//! Makes text from files safe for terminals and pictures.

use std::borrow::Cow;
use std::fmt;

/// Replaces every character that could move the cursor, break the line or reverse its direction; tabs and line breaks
/// become blanks.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let replace = |c| match c {
        '\t' | '\n' | '\r' => ' ',
        c if harmful(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Cow::Owned(text.chars().map(replace).collect())
}

/// The text as a cell of a CSV table: printable, with an apostrophe if a spreadsheet would take it for a formula.
pub(crate) fn cell(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if text.starts_with(['=', '+', '-', '@']) { Cow::Owned(format!("'{text}")) } else { text }
}

/// Writes a text with entities in place of the characters in `marks`, which is a subset of `& < > " '`.
pub(crate) fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str, marks: &[char]) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.find(marks) {
        f.write_str(&rest[..at])?;
        f.write_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        })?;
        rest = &rest[at + 1..];
    }
    f.write_str(rest)
}

/// Text escaped for XML.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, &printable(self.0), &['&', '<', '>', '"'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_not_break_the_picture() {
        assert_eq!(Escaped("f<int>(a & \"b\")").to_string(), "f&lt;int&gt;(a &amp; &quot;b&quot;)");
        assert_eq!(Escaped("a\u{1b}b").to_string(), "a\u{fffd}b");
    }

    #[test]
    fn cells_are_no_formulas() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(cell("k<int>(-1)\u{1b}"), "k<int>(-1)\u{fffd}");
    }

    #[test]
    fn escapes_of_a_listing_do_not_reach_the_terminal() {
        assert_eq!(printable("MOV\tR1, R2"), "MOV R1, R2");
        assert_eq!(printable("a\u{1b}[2Jb\rc\u{202e}d"), "a\u{fffd}[2Jb c\u{fffd}d");
    }
}
