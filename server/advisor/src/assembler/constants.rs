//! Constants that are too large for every type.

use super::code::Code;
use super::findings::Findings;
use syntax::ptx::{TokenKind, literal};

/// Approximate value above which ptxas 13.5 reports an overflow. Smaller constants are truncated to 64 bits.
const FITS_NO_TYPE: f64 = 8e19; // Source: ptxas 13.5

pub(super) fn check(out: &mut Findings<'_>) {
    let item = out.facts.item;
    for token in item.tokens() {
        let text = item.token_text(token);
        let is_too_large = match token.kind {
            TokenKind::Integer => literal::integer(text).is_none() && magnitude(text) > FITS_NO_TYPE,
            TokenKind::Float => {
                matches!(literal::float(text), Some(literal::Float::Decimal(value)) if value.is_infinite())
            }
            _ => false,
        };
        if is_too_large {
            out.error(Code::OperandValue, token, format!("`{text}` does not fit in any type"));
        }
    }
}

/// The approximate value of an integer literal of any length; 0 if the text is not an integer.
fn magnitude(text: &str) -> f64 {
    let digits = text.trim_end_matches(['u', 'U']);
    let (radix, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some(start) if start.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let values: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(radix)).collect();
    values.unwrap_or_default().into_iter().fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::magnitude;

    #[test]
    fn magnitudes_know_the_radix() {
        for (text, value) in [("255", 255.0), ("0xffU", 255.0), ("0b101", 5.0), ("017", 15.0), ("08", 0.0)] {
            assert!((magnitude(text) - value).abs() < f64::EPSILON, "{text}");
        }
    }
}
