//! Writes to standard output, whoever reads it.

use super::failure::Failure;
use super::palette::Palette;
use anstream::AutoStream;
use clap::ColorChoice;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};

/// Hands `write` a buffered standard output and the colours to use on it.
///
/// A reader that closes its end early (`| head`) has what it wanted: no failure. Any other error of writing is one.
pub(super) fn print(
    color: ColorChoice,
    write: impl FnOnce(&mut dyn Write, &Palette) -> io::Result<()>,
) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    let choice = match color {
        ColorChoice::Auto => AutoStream::choice(&stdout),
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    let written = if choice == anstream::ColorChoice::Never {
        // Nothing to strip: the palette has no colours, and what comes from files is printable.
        let mut out = BufWriter::with_capacity(BUFFER, stdout);
        write(&mut out, &Palette::PLAIN).and_then(|()| out.flush())
    } else {
        let mut out = BufWriter::with_capacity(BUFFER, AutoStream::new(stdout, choice));
        write(&mut out, &Palette::COLOURED).and_then(|()| out.flush())
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 16;

/// The text with all that could move the cursor, break the line or turn its direction replaced; tabs and line breaks become
/// blanks.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
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

/// Writes a text with entities for those of the characters `& < > " '` that are `marks`.
pub(super) fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str, marks: &[char]) -> fmt::Result {
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

/// The words in their order, none twice.
pub(super) fn distinct<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct
}

/// A count with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_listing_do_not_reach_the_terminal() {
        assert_eq!(printable("MOV\tR1, R2"), "MOV R1, R2");
        assert_eq!(printable("a\u{1b}[2Jb\rc\u{202e}d"), "a\u{fffd}[2Jb c\u{fffd}d");
    }

    #[test]
    fn thousands() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(123_456), "123,456");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
