//! The bits of an encoded instruction that control codes and register renaming may change.

use super::super::{Control, Encoding};

/// The fields that can name a general register, by encoding. Source: the same as for
/// [`rename`](mod@super::rename).
const fn register_fields(encoding: Encoding) -> u128 {
    let at: [u32; 4] = match encoding {
        Encoding::Kepler => [2, 10, 23, 42],
        Encoding::Maxwell => [0, 8, 20, 39],
        Encoding::Volta => [16, 24, 32, 64],
    };
    0xff << at[0] | 0xff << at[1] | 0xff << at[2] | 0xff << at[3]
}

/// True if only the control field differs between an instruction's old and new words, low word first. If `is_renamed`
/// is true, the fields of general registers may differ too. Before Volta, control codes are in separate words.
pub fn keeps_instruction(encoding: Encoding, old: [u64; 2], new: [u64; 2], is_renamed: bool) -> bool {
    let high = |word: u64| if encoding == Encoding::Volta { Control::NONE.in_volta_word(word) } else { word };
    let bits = |words: [u64; 2]| u128::from(high(words[1])) << 64 | u128::from(words[0]);
    let free = if is_renamed { register_fields(encoding) } else { 0 };
    (bits(old) ^ bits(new)) & !free == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u64; 2] = [0x0060_000c_2818_7df0, 0x000f_e200_0870_0818];

    #[test]
    fn the_control_field_alone_is_free() {
        let keeps = |new, is_renamed| keeps_instruction(Encoding::Volta, WORDS, new, is_renamed);
        let code = Control { stall: Some(5), wait_mask: 0x3f, reuse_mask: 0xf, ..Control::NONE };
        assert!(keeps([WORDS[0], code.in_volta_word(WORDS[1])], false));
        for bit in 0..128_u32 {
            let flipped = (u128::from(WORDS[1]) << 64 | u128::from(WORDS[0])) ^ 1 << bit;
            let new = [flipped as u64, (flipped >> 64) as u64];
            let is_code = (105..126).contains(&bit);
            let is_register = [16, 24, 32, 64].iter().any(|at| (*at..at + 8).contains(&bit));
            assert_eq!((keeps(new, false), keeps(new, true)), (is_code, is_code || is_register), "bit {bit}");
        }
    }

    #[test]
    fn before_volta_a_word_holds_no_code() {
        let keeps = |new| keeps_instruction(Encoding::Maxwell, [WORDS[0], 0], new, false);
        assert!(keeps([WORDS[0], 0]) && !keeps([WORDS[0] ^ 1 << 41, 0]));
    }
}
