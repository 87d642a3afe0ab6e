//! Control codes: what an instruction tells the scheduler.

/// The decoded control code of one instruction, in one form whatever the generation and the notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Control {
    /// Cycles until the next instruction of the warp may issue; `None` where a TuringAs source leaves it open.
    pub stall: Option<u8>,
    /// True where a listing would print `Y` (from Maxwell on: the bit is clear).
    pub yields: bool,
    /// The scoreboard, 0 to 5, that is released when the result is written.
    pub write_barrier: Option<u8>,
    /// The scoreboard, 0 to 5, that is released when the sources have been read.
    pub read_barrier: Option<u8>,
    /// The scoreboards waited on before issue, one bit each.
    pub wait_mask: u8,
    /// The operand slots (a, b, c, d) kept in the reuse cache, one bit each.
    pub reuse_mask: u8,
    /// Issues together with the next instruction (Kepler to Pascal).
    pub dual: bool,
    /// Kepler's code, which has no scoreboards but these flags; `None` from Maxwell on.
    pub kepler: Option<KeplerFlags>,
}

/// Kepler's eight bits, as KeplerAs prints them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct KeplerFlags {
    /// The whole code: bits 0-3 stall, 4 shared, 5 clear where KeplerAs prints `D`, 6 global, 7 texture.
    pub code: u8,
}

impl KeplerFlags {
    pub const fn texture(self) -> bool {
        self.code & 0x80 != 0
    }

    pub const fn global(self) -> bool {
        self.code & 0x40 != 0
    }

    /// What KeplerAs prints as `D`; only the code 0x04 pairs with the next instruction.
    pub const fn dual_bit_clear(self) -> bool {
        self.code & 0x20 == 0
    }

    pub const fn shared(self) -> bool {
        self.code & 0x10 != 0
    }
}

impl Control {
    pub(super) const NONE: Self = Self {
        stall: Some(0),
        yields: false,
        write_barrier: None,
        read_barrier: None,
        wait_mask: 0,
        reuse_mask: 0,
        dual: false,
        kepler: None,
    };

    /// What the vendor's annotations mean where they print nothing: wait for all that is under way, then yield.
    pub(super) const DRAIN: Self = Self { yields: true, ..Self::NONE };

    /// The meaning of one of Kepler's eight-bit codes.
    ///
    /// The code 0x04 alone pairs: measured over compiler output, where it is the only one before a pair, and the
    /// ICS'17 kernel's 0x05 before a 0x04 issues alone.
    pub const fn from_kepler(flags: KeplerFlags) -> Self {
        Self { stall: Some(flags.code & 0xf), dual: flags.code == 0x04, kepler: Some(flags), ..Self::NONE }
    }

    /// The code of the instruction in `slot` (0 to 6) of the group behind a Kepler control word.
    ///
    /// Eight bits each from bit 2 on (GK110; KeplerAs and envydis agree).
    pub const fn from_kepler_word(word: u64, slot: u32) -> Self {
        Self::from_kepler(KeplerFlags { code: (word >> (2 + 8 * slot)) as u8 })
    }

    /// The code of the instruction in `slot` (0 to 2) of the group behind a Maxwell or Pascal control word.
    ///
    /// 21 bits each: stall 4, yield 1, write barrier 3, read barrier 3, wait mask 6, reuse 4 (maxas and envydis agree).
    pub const fn from_maxwell_word(word: u64, slot: u32) -> Self {
        let bits = word >> (21 * slot);
        Self {
            dual: bits.trailing_zeros() >= 4,
            reuse_mask: (bits >> 17) as u8 & 0xf,
            ..Self::from_scheduling_bits(bits)
        }
    }

    /// The code in the high word of a 128-bit instruction (Volta to Blackwell).
    ///
    /// The same 17 bits as Maxwell's from bit 41 on, then the reuse flags at 58 to 61.
    pub const fn from_volta_word(high: u64) -> Self {
        Self { reuse_mask: (high >> 58) as u8 & 0xf, ..Self::from_scheduling_bits(high >> 41) }
    }

    const fn from_scheduling_bits(bits: u64) -> Self {
        Self {
            stall: Some(bits as u8 & 0xf),
            // The bit says "stay with this warp": clear, it yields.
            yields: bits & 0x10 == 0,
            write_barrier: barrier(bits >> 5),
            read_barrier: barrier(bits >> 8),
            wait_mask: (bits >> 11) as u8 & 0x3f,
            ..Self::NONE
        }
    }

    /// True where a word can be a Kepler control word: its six highest bits are 000010, its two lowest 00.
    pub const fn is_kepler_word(word: u64) -> bool {
        word >> 58 == 0b00_0010 && word.trailing_zeros() >= 2
    }
}

/// The barrier index 7 means "none": the field is three bits wide and only six scoreboards exist.
const fn barrier(field: u64) -> Option<u8> {
    match field as u8 & 7 {
        index @ 0..6 => Some(index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volta_words_decode_as_by_hand() {
        let control = Control::from_volta_word(0x001f_c400_03f0_6270);
        assert_eq!((control.stall, control.yields, control.wait_mask), (Some(2), true, 1));
        assert_eq!((control.write_barrier, control.read_barrier, control.reuse_mask), (None, None, 0));
        assert_eq!(Control::from_volta_word(0x000e_2200_0000_0800).write_barrier, Some(0));
    }

    #[test]
    fn maxwell_words_hold_three() {
        let word = 0x001c_5800_fe00_07f6;
        assert_eq!(Control::from_maxwell_word(word, 0).stall, Some(6));
        assert!(Control::from_maxwell_word(word, 1).dual);
        assert_eq!(Control::from_maxwell_word(word, 2).write_barrier, Some(0));
    }

    #[test]
    fn kepler_words_hold_seven() {
        let word = 0x0888_808c_108c_10c0;
        assert!(Control::is_kepler_word(word));
        let codes = [0x30, 0x04, 0x23, 0x04, 0x23, 0x20, 0x22];
        for (slot, code) in codes.into_iter().enumerate() {
            let control = Control::from_kepler_word(word, slot as u32);
            assert_eq!(control.kepler.map(|flags| flags.code), Some(code));
            assert_eq!(control.dual, code == 0x04);
        }
    }
}
