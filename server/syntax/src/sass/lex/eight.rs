//! Scans eight bytes at a time, read as one integer, without a branch per byte.
//!
//! A mask selects bytes of such an integer: the highest bit of each selected byte is set, and all other bits are
//! clear. The first byte of the text is the lowest byte of the integer.

const ONES: u64 = 0x0101_0101_0101_0101; // limit: the eight bytes of a word
const HIGH: u64 = 0x80 * ONES; // limit: the eight bytes of a word
const LOW: u64 = 0x7f * ONES; // limit: the eight bytes of a word

/// Number of leading bytes of `text` that are in a class. `mask` tests eight bytes at once, and `is_in` tests one
/// byte of the remainder. Both must define the same class.
#[inline]
pub(super) fn run(text: &[u8], mask: impl Fn(u64) -> u64, is_in: impl Fn(u8) -> bool) -> usize {
    let (chunks, rest) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let others = !mask(u64::from_le_bytes(*chunk)) & HIGH;
        if others != 0 {
            return index * 8 + first(others);
        }
    }
    chunks.len() * 8 + rest.iter().take_while(|&&byte| is_in(byte)).count()
}

/// Index of the first byte in a mask; 8 if the mask is empty.
const fn first(mask: u64) -> usize {
    (mask.trailing_zeros() / 8) as usize
}

/// Mask of the bytes from `first` to `last`, both below 0x80. The highest bit of every byte in `bytes` must be clear.
const fn within(bytes: u64, first: u8, last: u8) -> u64 {
    let from_first = bytes + (0x80 - first as u64) * ONES;
    let after_last = bytes + (0x7f - last as u64) * ONES;
    from_first & !after_last & HIGH
}

/// Mask of letters, digits and underscores.
pub(super) const fn words(bytes: u64) -> u64 {
    let low = bytes & LOW;
    let underscores = within(low, b'_', b'_');
    (within(low, b'0', b'9') | within(low | (0x20 * ONES), b'a', b'z') | underscores) & !bytes
}

/// Mask of spaces.
pub(super) const fn spaces(bytes: u64) -> u64 {
    within(bytes & LOW, b' ', b' ') & !bytes
}

const fn hexadecimals(bytes: u64) -> u64 {
    let low = bytes & LOW;
    (within(low, b'0', b'9') | within(low | (0x20 * ONES), b'a', b'f')) & !bytes
}

/// Value of up to eight leading hexadecimal digits, and the number of digits.
#[inline]
pub(super) fn hexadecimal(text: [u8; 8]) -> (u32, usize) {
    let bytes = u64::from_le_bytes(text);
    let count = first(!hexadecimals(bytes) & HIGH);
    // A letter's low four bits count from 1, and bit 6 distinguishes it from a digit.
    let digits = (bytes & (0x0f * ONES)) + 9 * ((bytes >> 6) & ONES);
    // The digits are moved to the high end. The last digit then has the same position for every digit count.
    let digits = digits.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    let pairs = (digits << 4 | digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs << 8 | pairs >> 16) & 0x0000_ffff_0000_ffff;
    ((fours << 16 | fours >> 32) as u32, count)
}

/// Value of up to four leading decimal digits, and the number of digits.
#[inline]
pub(super) fn decimal(text: [u8; 4]) -> (u32, usize) {
    let bytes = u64::from(u32::from_le_bytes(text));
    let count = first(!within(bytes & LOW, b'0', b'9') & HIGH | bytes & HIGH).min(4);
    let digits = (bytes & 0x0f0f_0f0f).wrapping_shl(32 - 8 * count as u32) & 0xffff_ffff;
    let digits = if count == 0 { 0 } else { digits };
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff;
    ((pairs * 100 + (pairs >> 16)) as u32 & 0xffff, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_say_of_every_byte_what_it_is() {
        for byte in 0..=u8::MAX {
            let bytes = u64::from(byte) * ONES;
            let all = |is: bool| if is { HIGH } else { 0 };
            assert_eq!(words(bytes), all(byte.is_ascii_alphanumeric() || byte == b'_'), "{byte:#x}");
            assert_eq!(spaces(bytes), all(byte == b' '), "{byte:#x}");
            assert_eq!(hexadecimals(bytes), all(byte.is_ascii_hexdigit()), "{byte:#x}");
        }
    }

    #[test]
    fn runs_end_where_the_class_does() {
        for length in 0..20 {
            let text = format!("{}.R1", "a".repeat(length));
            assert_eq!(run(text.as_bytes(), words, |byte| byte.is_ascii_alphanumeric()), length);
            assert_eq!(run(&text.as_bytes()[..length], words, |byte| byte.is_ascii_alphanumeric()), length);
        }
    }

    #[test]
    fn numbers_are_read_with_their_length() {
        let hex = |text: &str| hexadecimal(text.as_bytes().try_into().expect("eight bytes"));
        assert_eq!(hex("        "), (0, 0));
        assert_eq!(hex("7, R1   "), (7, 1));
        assert_eq!(hex("1f],FFFF"), (0x1f, 2));
        assert_eq!(hex("dEad*/aa"), (0xdead, 4));
        assert_eq!(hex("89abcdef"), (0x89ab_cdef, 8));
        assert_eq!(hex("1234567g"), (0x0123_4567, 7));
        let dec = |text: &str| decimal(text.as_bytes().try_into().expect("four bytes"));
        assert_eq!(dec(", R1"), (0, 0));
        assert_eq!(dec("7, R"), (7, 1));
        assert_eq!(dec("25, "), (25, 2));
        assert_eq!(dec("255."), (255, 3));
        assert_eq!(dec("9999"), (9999, 4));
        assert_eq!(dec("1\u{e9}2"), (1, 1));
    }
}
