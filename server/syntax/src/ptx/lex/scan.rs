//! Patterns of tokens.

use crate::ptx::TokenKind;
use memchr::{memchr2, memchr3, memmem};
use nom::branch::alt;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{opt, recognize, value, verify};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// A byte parser that returns no reason for a failure. The caller reports what it expected.
type Scan<'a, T> = IResult<&'a [u8], T, ()>;

/// Class of each byte. A lookup table, because most text is scanned byte by byte.
static CLASSES: [u8; 256] = classes();
const WORD: u8 = 1; // limit: one bit for each class
const START: u8 = 2; // limit: one bit for each class
const KNOWN: u8 = 4; // limit: one bit for each class

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut index = 0;
    while index < classes.len() {
        let byte = index as u8;
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') {
            classes[index] |= WORD;
        }
        if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') {
            classes[index] |= START;
        }
        let is_space = matches!(byte, b' ' | b'\t'..=b'\r');
        if is_space || byte.is_ascii_graphic() && !matches!(byte, b'\'' | b'\\' | b'`') {
            classes[index] |= KNOWN;
        }
        index += 1;
    }
    classes
}

/// Letters, digits, `_` and `$`.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & WORD != 0
}

/// True if a byte starts a word. `%` is handled separately.
#[inline]
pub(super) fn starts_word(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & START != 0
}

/// Length in bytes of the word at the start of a text.
#[inline]
pub(super) fn word_length(text: &[u8]) -> usize {
    text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len())
}

/// Length in bytes of the modifier at the start of a text: `.u32`, `.2d`, `.L1::evict_last`, `.sp::2:4`, and
/// the older `.const[2]`.
#[inline]
pub(super) fn modifier_length(text: &[u8]) -> usize {
    let mut len = 1 + word_length(&text[1..]);
    while let [b':', b':', next, ..] = text[len..]
        && is_word(next)
    {
        len += 2 + word_length(&text[len + 2..]);
        if let [before, b':', next, ..] = text[len - 1..]
            && before.is_ascii_digit()
            && next.is_ascii_digit()
        {
            len += 1 + word_length(&text[len + 1..]);
        }
    }
    match text[len..] {
        [b'[', bank, b']', ..] if &text[..len] == b".const" && bank.is_ascii_digit() => len + 3,
        [b'[', tens, ones, b']', ..]
            if &text[..len] == b".const" && tens.is_ascii_digit() && ones.is_ascii_digit() =>
        {
            len + 4
        }
        _ => len,
    }
}

/// Number of leading bytes that cannot start a token, at least 1.
pub(super) fn unknown_length(text: &[u8]) -> usize {
    text.iter().position(|&byte| CLASSES[usize::from(byte)] & KNOWN != 0).unwrap_or(text.len()).max(1)
}

pub(super) fn is_operator(first: u8, second: u8) -> bool {
    match first {
        b'<' | b'>' => second == first || second == b'=',
        b'=' | b'!' => second == b'=',
        b'&' | b'|' => second == first,
        _ => false,
    }
}

/// Number of bytes up to the end of the line.
pub(super) fn line_length(text: &[u8]) -> usize {
    memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// Length in bytes of the comment at the start of a text, and whether it is closed.
pub(super) fn block_comment(text: &[u8]) -> (usize, bool) {
    memmem::find(&text[2..], b"*/").map_or((text.len(), false), |end| (end + 4, true))
}

/// Length in bytes of the string at the start of a text, and whether it ends on its line. A backslash has no special
/// meaning.
pub(super) fn string(text: &[u8]) -> (usize, bool) {
    match memchr3(b'"', b'\n', b'\r', &text[1..]) {
        Some(end) if text[end + 1] == b'"' => (end + 2, true),
        Some(end) => (end + 1, false),
        None => (text.len(), false),
    }
}

/// A number in the syntax of `ptxas`.
pub(super) fn number(input: &[u8]) -> Scan<'_, TokenKind> {
    // Most numbers are plain decimals, which need no other pattern.
    let digits = input.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(input.len());
    let is_plain = input.get(digits).is_none_or(|&byte| !is_word(byte) && byte != b'.');
    if is_plain && (digits == 1 || input.first() != Some(&b'0')) && digits > 0 {
        return Ok((&input[digits..], TokenKind::Integer));
    }
    alt((
        value(TokenKind::Float, exact_float),
        value(TokenKind::Integer, radix_integer),
        value(TokenKind::Float, decimal_float),
        value(TokenKind::Integer, decimal),
    ))
    .parse(input)
}

/// Digits of `0f3F800000` or `0d3FF0000000000000`: eight or sixteen.
pub(in crate::ptx) fn exact_float(input: &[u8]) -> Scan<'_, &[u8]> {
    let digits = |count| {
        verify(take_while1(|byte: u8| byte.is_ascii_hexdigit()), move |all: &[u8]| all.len() == count)
    };
    preceded(char('0'), alt((preceded(one_of("fF"), digits(8)), preceded(one_of("dD"), digits(16)))))
        .parse(input)
}

/// Radix and digits of `0xffU`, `0b101` or `017`.
pub(in crate::ptx) fn radix_integer(input: &[u8]) -> Scan<'_, (u32, &[u8])> {
    let hexadecimal = preceded(one_of("xX"), take_while1(|byte: u8| byte.is_ascii_hexdigit()));
    let binary = preceded(one_of("bB"), take_while1(|byte| matches!(byte, b'0' | b'1')));
    let octal = verify(take_while(|byte| matches!(byte, b'0'..=b'7')), |digits: &[u8]| !digits.is_empty());
    let digits =
        alt((hexadecimal.map(|all| (16, all)), binary.map(|all| (2, all)), octal.map(|all| (8, all))));
    // `01.5` and `01e5` are not octal numbers.
    let (after, (_, digits, _)) = (char('0'), digits, opt(char('U'))).parse(input)?;
    if matches!(after.first(), Some(b'.' | b'e' | b'E')) {
        Err(nom::Err::Error(()))
    } else {
        Ok((after, digits))
    }
}

/// Digits of `10` or `10U`. A leading 0 is accepted only for the number 0.
pub(in crate::ptx) fn decimal(input: &[u8]) -> Scan<'_, &[u8]> {
    let digits = verify(digit1, |all: &[u8]| all == b"0" || all[0] != b'0');
    let (after, (digits, _)) = (digits, opt(char('U'))).parse(input)?;
    Ok((after, digits))
}

/// `1.5`, `1.`, `.5`, `1e5`, `1.5e-3`.
fn decimal_float(input: &[u8]) -> Scan<'_, &[u8]> {
    let exponent = || (one_of("eE"), opt(one_of("+-")), digit1);
    let fraction = (char('.'), digit1, opt(exponent()));
    let pointed = (digit1, char('.'), opt(digit1), opt(exponent()));
    alt((recognize(fraction), recognize(pointed), recognize((digit1, exponent())))).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Option<TokenKind> {
        number(text.as_bytes()).ok().filter(|(after, _)| after.is_empty()).map(|(_, kind)| kind)
    }

    #[test]
    fn numbers_are_those_that_ptxas_takes() {
        for text in ["0", "7", "10", "10U", "0U", "0x1fU", "0XFF", "0b101U", "0B1", "017", "00"] {
            assert_eq!(whole(text), Some(TokenKind::Integer), "{text}");
        }
        for text in [
            "9.5",
            "1.",
            ".5",
            "1e5",
            "1.e5",
            "1.5E-3",
            "01.5",
            "0f3F800000",
            "0F00000000",
            "0D3FF0000000000000",
        ] {
            assert_eq!(whole(text), Some(TokenKind::Float), "{text}");
        }
        for text in ["089", "10UL", "0f3F8", "0d3FF0", "0x", "0b2", "017u", "1.5.2", "5x"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn a_modifier_takes_its_colons_and_an_old_bank_along() {
        let taken = |text: &'static str| &text[..modifier_length(text.as_bytes())];
        assert_eq!(taken(".mbarrier::complete_tx::bytes [a]"), ".mbarrier::complete_tx::bytes");
        assert_eq!(taken(".u32 %r1"), ".u32");
        assert_eq!(taken(".x: y"), ".x");
        assert_eq!(taken(".const[10].u32"), ".const[10]");
        assert_eq!(taken(".const[x]"), ".const");
        assert_eq!(taken(".global[2]"), ".global");
    }

    #[test]
    fn a_string_ends_at_its_quote_or_its_line() {
        assert_eq!(string(br#""C:\" c"#), (5, true));
        assert_eq!(string(b"\"ab\n\""), (3, false));
        assert_eq!(string(b"\"ab"), (3, false));
    }
}
