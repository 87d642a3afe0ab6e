//! The small patterns that lines are made of, as nom parsers over bytes.

use nom::branch::alt;
use nom::bytes::complete::{tag, take, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{map_opt, opt, recognize, verify};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

/// A parse of bytes that says nothing of why it failed: the caller knows what it expected.
pub(super) type Scan<'a, T> = IResult<&'a [u8], T, ()>;

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What a symbol's name may hold: mangled names, `.L_x_0`, `$features$_Z6helperfi`, a demangled name's `::`.
pub(super) const fn is_symbol(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'$' | b'@' | b'?')
}

pub(super) fn symbol(input: &[u8]) -> Scan<'_, &[u8]> {
    take_while1(is_symbol)(input)
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// The low 32 bits of a run of hexadecimal digits.
fn low_bits(digits: &[u8]) -> u32 {
    digits.iter().fold(0_u32, |value, &digit| (value << 4) | u32::from(hex_value(digit)))
}

const fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10),
    }
}

/// `/*0080*/`: an address.
pub(super) fn address(input: &[u8]) -> Scan<'_, u32> {
    delimited(tag("/*"), take_while1(is_hex), tag("*/")).map(low_bits).parse(input)
}

/// `/* 0x001fc40003f06270 */`: one encoded word, as its sixteen digits.
pub(super) fn encoded_word(input: &[u8]) -> Scan<'_, &[u8]> {
    let digits = verify(take(16_usize), |digits: &[u8]| digits.iter().copied().all(is_hex));
    delimited(tag("/* 0x"), digits, tag(" */")).parse(input)
}

/// The value of an encoded word's token.
pub(in crate::sass) fn word_value(token: &str) -> Option<u64> {
    let (_, digits) = encoded_word(token.as_bytes()).ok()?;
    Some(digits.iter().fold(0, |value, &digit| (value << 4) | u64::from(hex_value(digit))))
}

/// `0x1f`: the low 32 bits.
pub(super) fn hexadecimal(input: &[u8]) -> Scan<'_, u32> {
    preceded(alt((tag("0x"), tag("0X"))), take_while1(is_hex)).map(low_bits).parse(input)
}

/// A decimal number that fits a register's index.
pub(super) fn index(input: &[u8]) -> Scan<'_, u32> {
    map_opt(take_while_m_n(1, 4, |byte: u8| byte.is_ascii_digit()), |digits: &[u8]| {
        Some(digits.iter().fold(0_u32, |value, &digit| value * 10 + u32::from(digit - b'0')))
    })
    .parse(input)
}

/// `1.5`, `2`, `1.175494350822287508e-38`: what remains is what follows the number.
pub(super) fn decimal(input: &[u8]) -> Scan<'_, &[u8]> {
    let digits = || take_while1(|byte: u8| byte.is_ascii_digit());
    let exponent = (one_of("eE"), opt(one_of("+-")), digits());
    recognize((digits(), opt(pair(char('.'), opt(digits()))), opt(recognize(exponent)))).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_words_are_told_apart() {
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
    }
}
