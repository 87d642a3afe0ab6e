//! Writes to standard output: a terminal, a file or a pipe.

pub(super) use crate::printable::{printable, write_escaped};

use super::failure::Failure;
use super::palette::Palette;
use anstream::AutoStream;
use clap::ColorChoice;
use std::io::{self, BufWriter, Write};

/// Calls `write` with a buffered standard output and the colours to use on it.
///
/// A reader that closes the pipe early (`| head`) is no failure; any other write error is a failure.
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
        // No escape sequences need stripping: the palette has no colours, and text from files is made
        // printable.
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

/// Number of bytes gathered before they are written.
const BUFFER: usize = 1 << 16; // limit: few system calls

/// The words in their order, without duplicates.
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

/// Formats a count with its noun: `1 file`, `2 files`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(123_456), "123,456");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
