//! Hover section on numbers: decimal, hexadecimal, power of two and floating-point notation.

use std::fmt::Write;
use syntax::ptx::literal::{self, Float};

/// Formats a literal in other notations, in Markdown: `**0x40** = 64, 2^6`.
pub(super) fn number(word: &str) -> String {
    match literal::float(word) {
        Some(Float::Single(bits)) => {
            return format!("**{word}** = {:?}, a single with bits {bits:#010x}", f32::from_bits(bits));
        }
        Some(Float::Double(bits)) => {
            return format!("**{word}** = {:?}, a double with bits {bits:#018x}", f64::from_bits(bits));
        }
        Some(Float::Decimal(value)) if word.contains(['.', 'e', 'E']) => return decimal(word, value),
        _ => {}
    }
    let Some(value) = literal::integer(word) else { return format!("**{word}**") };
    let mut text = format!("**{word}**");
    let is_decimal = word.trim_end_matches('U') == value.to_string();
    let _ = if is_decimal { write!(text, " = {value:#x}") } else { write!(text, " = {value}") };
    if let Ok(low) = u32::try_from(value) {
        if low > i32::MAX as u32 {
            let _ = write!(text, ", as `.s32` {}", low.cast_signed());
        }
        let float = f32::from_bits(low);
        if !is_decimal && float.is_normal() && (1e-6..1e9).contains(&float.abs()) {
            let _ = write!(text, ", as `.f32` {float:?}");
        }
    } else if value > i64::MAX as u64 {
        let _ = write!(text, ", as `.s64` {}", value.cast_signed());
    }
    if value.is_power_of_two() && value > 2 {
        let _ = write!(text, ", 2^{}", value.trailing_zeros());
    }
    text
}

fn decimal(word: &str, value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "an `.f32` instruction rounds it as well")]
    let single = value as f32;
    format!("**{word}**: as `.f32` 0f{:08X}, as `.f64` 0d{:016X}", single.to_bits(), value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_shown_as_people_read_them() {
        for (word, shown) in [
            ("0f3F800000", "**0f3F800000** = 1.0, a single with bits 0x3f800000"),
            ("0d3FF0000000000000", "**0d3FF0000000000000** = 1.0, a double with bits 0x3ff0000000000000"),
            ("0f7F800000", "**0f7F800000** = inf, a single with bits 0x7f800000"),
            ("1.5", "**1.5**: as `.f32` 0f3FC00000, as `.f64` 0d3FF8000000000000"),
            ("64", "**64** = 0x40, 2^6"),
            ("0x40", "**0x40** = 64, 2^6"),
            ("0x3f800000", "**0x3f800000** = 1065353216, as `.f32` 1.0"),
            ("0xffffffffU", "**0xffffffffU** = 4294967295, as `.s32` -1"),
            ("0xffffffffffffffff", "**0xffffffffffffffff** = 18446744073709551615, as `.s64` -1"),
            ("0b101", "**0b101** = 5"),
            ("017", "**017** = 15"),
            ("0x1ffffffffffffffff", "**0x1ffffffffffffffff**"),
        ] {
            assert_eq!(number(word), shown);
        }
    }
}
