//! Values of number literals.

use super::lex;
use nom::Parser;
use nom::combinator::all_consuming;
use std::str::from_utf8;

/// The value of a floating-point token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Float {
    /// `0f3F800000`: the bits of a single-precision value.
    Single(u32),
    /// `0d3FF0000000000000`: the bits of a double-precision value.
    Double(u64),
    /// `1.5`, which is rounded to the type of the instruction.
    Decimal(f64),
}

/// Value of an integer token. `None` if the value exceeds 64 bits or the token is not an integer.
pub fn integer(token: &str) -> Option<u64> {
    let bytes = token.as_bytes();
    let radix = all_consuming(lex::radix_integer).parse(bytes).map(|(_, found)| found);
    let (radix, digits) = match radix {
        Ok(found) => found,
        Err(_) => (10, all_consuming(lex::decimal).parse(bytes).ok()?.1),
    };
    u64::from_str_radix(from_utf8(digits).ok()?, radix).ok()
}

/// Value of a floating-point token. `None` for other tokens.
pub fn float(token: &str) -> Option<Float> {
    if let Ok((_, digits)) = all_consuming(lex::exact_float).parse(token.as_bytes()) {
        let bits = u64::from_str_radix(from_utf8(digits).ok()?, 16).ok()?;
        return Some(
            u32::try_from(bits).ok().filter(|_| digits.len() == 8).map_or(Float::Double(bits), Float::Single),
        );
    }
    let starts = token.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    token.parse().ok().filter(|_| starts).map(Float::Decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_value_of_their_radix() {
        for (text, value) in [
            ("0", 0),
            ("10U", 10),
            ("0x1fU", 31),
            ("0b101", 5),
            ("017", 15),
            ("0xFFFFFFFFFFFFFFFF", u64::MAX),
        ] {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in ["0x10000000000000000", "089", "1.5", "", "x", "-1"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn floats_keep_their_bits() {
        assert_eq!(float("0f3F800000"), Some(Float::Single(0x3f80_0000)));
        assert_eq!(float("0D3FF0000000000000"), Some(Float::Double(0x3ff0_0000_0000_0000)));
        assert_eq!(float("0d0000000000000001"), Some(Float::Double(1)));
        assert_eq!(float(".5"), Some(Float::Decimal(0.5)));
        assert_eq!(float("1.e3"), Some(Float::Decimal(1000.0)));
        assert_eq!(float("0f3F8"), None);
        assert_eq!(float("inf"), None);
    }
}
