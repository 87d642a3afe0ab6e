//! Patterns of tokens, as nom parsers over bytes.

use super::eight;
use nom::branch::alt;
use nom::bytes::complete::take_while1;
use nom::character::complete::{char, one_of};
use nom::combinator::{not, opt, peek, recognize};
use nom::sequence::pair;
use nom::{IResult, Parser};

/// A byte parser that returns no reason for a failure. The caller reports what it expected.
pub(super) type Scan<'a, T> = IResult<&'a [u8], T, ()>;

/// Classes of each byte, one bit per class. A lookup table, because most text is scanned byte by byte.
static CLASSES: [u8; 256] = classes();
const WORD: u8 = 1; // limit: one bit for each class
const SYMBOL: u8 = 2; // limit: one bit for each class
const DIGIT: u8 = 4; // limit: one bit for each class

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut index = 0;
    while index < classes.len() {
        let byte = index as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            classes[index] |= WORD | SYMBOL;
        }
        if matches!(byte, b'.' | b'$' | b'@' | b'?') {
            classes[index] |= SYMBOL;
        }
        if byte.is_ascii_digit() {
            classes[index] |= DIGIT;
        }
        index += 1;
    }
    classes
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_word(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & WORD != 0
}

/// True if a byte can be part of a symbol's name: mangled names, `.L_x_0`, `$features$_Z6helperfi`.
pub(super) fn is_symbol(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & SYMBOL != 0
}

/// Number of leading bytes that are in a class.
#[inline]
fn span(text: &[u8], class: u8) -> usize {
    text.iter().position(|&byte| CLASSES[usize::from(byte)] & class == 0).unwrap_or(text.len())
}

/// Length in bytes of the word at the start of a text.
#[inline]
pub(super) fn word_length(text: &[u8]) -> usize {
    eight::run(text, eight::words, is_word)
}

/// Length in bytes of the symbol at the start of a text.
#[inline]
pub(super) fn symbol_length(text: &[u8]) -> usize {
    span(text, SYMBOL)
}

/// Number of leading decimal digits.
pub(super) fn digits_length(text: &[u8]) -> usize {
    span(text, DIGIT)
}

/// Number of leading spaces and tabs. Listings indent lines by up to a hundred columns.
pub(super) fn spaces_length(text: &[u8]) -> usize {
    let spaces = eight::run(text, eight::spaces, |byte| byte == b' ');
    spaces + text[spaces..].iter().take_while(|&&byte| is_space(byte)).count()
}

pub(super) fn symbol(input: &[u8]) -> Scan<'_, &[u8]> {
    take_while1(is_symbol)(input)
}

/// A failure without a reason.
pub(super) fn nothing<T>(_: &[u8]) -> Scan<'_, T> {
    Err(nom::Err::Error(()))
}

/// The low 32 bits of the leading hexadecimal digits, and the number of digits.
#[inline]
fn low_bits(text: &[u8]) -> (u32, usize) {
    let (mut value, mut at) = text.first_chunk().map_or((0, 0), |chunk| eight::hexadecimal(*chunk));
    if at == 8 || text.len() < 8 {
        while let Some(digit) = text.get(at).and_then(|&byte| hex_value(byte)) {
            value = value << 4 | digit;
            at += 1;
        }
    }
    (value, at)
}

/// The value of a hexadecimal digit.
pub(super) fn hex_value(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// Reads an address, `/*0080*/`.
pub(super) fn address(input: &[u8]) -> Scan<'_, u32> {
    let [b'/', b'*', digits @ ..] = input else { return nothing(input) };
    let (value, count) = low_bits(digits);
    match &digits[count..] {
        [b'*', b'/', after @ ..] if count > 0 => Ok((after, value)),
        _ => nothing(input),
    }
}

/// Reads one encoded word, `/* 0x001fc40003f06270 */`.
#[inline]
pub(super) fn encoded_word(input: &[u8]) -> Scan<'_, u64> {
    let [b'/', b'*', b' ', b'0', b'x', rest @ ..] = input else { return nothing(input) };
    let Some((high, rest)) = rest.split_first_chunk() else { return nothing(input) };
    let Some((low, [b' ', b'*', b'/', after @ ..])) = rest.split_first_chunk() else {
        return nothing(input);
    };
    match (eight::hexadecimal(*high), eight::hexadecimal(*low)) {
        ((high, 8), (low, 8)) => Ok((after, u64::from(high) << 32 | u64::from(low))),
        _ => nothing(input),
    }
}

/// Value of an encoded word's token; `None` for other tokens.
pub(in crate::sass) fn word_value(token: &str) -> Option<u64> {
    encoded_word(token.as_bytes()).ok().map(|(_, value)| value)
}

/// Reads `0x1f`. Returns the low 32 bits of its value.
#[inline]
pub(super) fn hexadecimal(input: &[u8]) -> Scan<'_, u32> {
    let [b'0', b'x' | b'X', digits @ ..] = input else { return nothing(input) };
    match low_bits(digits) {
        (_, 0) => nothing(input),
        (value, count) => Ok((&digits[count..], value)),
    }
}

/// Reads a register index of up to four decimal digits.
#[inline]
pub(super) fn index(input: &[u8]) -> Scan<'_, u32> {
    let (value, count) = if let Some(chunk) = input.first_chunk() {
        eight::decimal(*chunk)
    } else {
        let digits = &input[..digits_length(input)];
        (digits.iter().fold(0, |value, &digit| value * 10 + u32::from(digit - b'0')), digits.len())
    };
    if count == 0 { nothing(input) } else { Ok((&input[count..], value)) }
}

/// A number such as `1.5`, `2` or `1.175494350822287508e-38`. The remaining text may be a modifier: `.reuse` in
/// `1.reuse`.
pub(super) fn decimal(input: &[u8]) -> Scan<'_, &[u8]> {
    let digits = || take_while1(|byte: u8| byte.is_ascii_digit());
    let exponent = || recognize((one_of("eE"), opt(one_of("+-")), digits()));
    // A point without digits belongs to the number, unless a word follows the point.
    let after_point = alt((digits(), peek(alt((exponent(), recognize(not(take_while1(is_word))))))));
    recognize((digits(), opt(pair(char('.'), after_point)), opt(exponent()))).parse(input)
}

pub(super) fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_words_are_distinguished() {
        assert_eq!(address(b"/*0080*/ MOV"), Ok((&b" MOV"[..], 0x80)));
        assert!(address(b"/* 0x0080 */").is_err());
        assert_eq!(word_value("/* 0x001fc40003f06270 */"), Some(0x001f_c400_03f0_6270));
        assert!(encoded_word(b"/* 0x1fc40003f06270 */").is_err());
    }

    #[test]
    fn a_decimal_ends_where_its_number_does() {
        assert_eq!(
            decimal(b"1.175494350822287508e-38 ;"),
            Ok((&b" ;"[..], &b"1.175494350822287508e-38"[..]))
        );
        assert_eq!(decimal(b"2D"), Ok((&b"D"[..], &b"2"[..])));
        assert_eq!(decimal(b"0.5"), Ok((&b""[..], &b"0.5"[..])));
        assert_eq!(decimal(b"1.e5 ;"), Ok((&b" ;"[..], &b"1.e5"[..])));
        assert_eq!(decimal(b"1. ;"), Ok((&b" ;"[..], &b"1."[..])));
        for (modified, number, modifier) in
            [("1.reuse", "1", ".reuse"), ("1.extra", "1", ".extra"), ("1.5.reuse", "1.5", ".reuse")]
        {
            assert_eq!(decimal(modified.as_bytes()), Ok((modifier.as_bytes(), number.as_bytes())));
        }
    }
}
