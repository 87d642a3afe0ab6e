//! Control codes: the scheduling information of an instruction.

/// The decoded control code of one instruction, in a common form for all generations and notations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Control {
    /// Cycles until the next instruction of the warp may issue; `None` if a TuringAs source does not specify
    /// the stall count.
    pub stall: Option<u8>,
    /// True if a listing would print `Y`. From Maxwell on, the encoded bit is then clear.
    pub yields: bool,
    /// The scoreboard, 0 to 5, that is released when the result is written.
    pub write_barrier: Option<u8>,
    /// The scoreboard, 0 to 5, that is released when the sources have been read.
    pub read_barrier: Option<u8>,
    /// The scoreboards that must be released before issue, one bit each.
    pub wait_mask: u8,
    /// The operand slots (a, b, c, d) kept in the reuse cache, one bit each.
    pub reuse_mask: u8,
    /// True if the instruction issues together with the next instruction (Kepler to Pascal).
    pub dual: bool,
    /// Flags of Kepler's control code, which has no scoreboards; `None` from Maxwell on.
    pub kepler: Option<KeplerFlags>,
}

/// Kepler's eight bits, as KeplerAs prints them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct KeplerFlags {
    /// The complete code: bits 0 to 3 stall, 4 shared, 5 clear where KeplerAs prints `D`, 6 global, 7
    /// texture.
    pub code: u8,
}

impl KeplerFlags {
    /// True if the instruction waits for texture loads (`T`).
    pub const fn texture(self) -> bool {
        self.code & 0x80 != 0
    }

    /// True if the instruction waits for global memory (`G`).
    pub const fn global(self) -> bool {
        self.code & 0x40 != 0
    }

    /// True if the bit that KeplerAs prints as `D` is clear. Only an instruction with code 0x04 is
    /// dual-issued with the next instruction.
    pub const fn dual_bit_clear(self) -> bool {
        self.code & 0x20 == 0
    }

    /// True if the instruction waits for shared memory (`S`).
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

    /// Control code of an instruction without annotations from NVIDIA's tools: the warp drains its pending
    /// work, then yields.
    pub(super) const DRAIN: Self = Self { yields: true, ..Self::NONE };

    /// Decodes one of Kepler's eight-bit codes.
    ///
    /// Only code 0x04 marks a dual-issued pair. In compiler output 0x04 is the only code before a pair. In
    /// the ICS'17 kernel an instruction with code 0x05 before a 0x04 issues without a partner (both
    /// measured).
    pub const fn from_kepler(flags: KeplerFlags) -> Self {
        Self { stall: Some(flags.code & 0xf), dual: flags.code == 0x04, kepler: Some(flags), ..Self::NONE }
    }

    /// Control code of the instruction in `slot` (0 to 6) of the group after a Kepler control word.
    ///
    /// Each code has eight bits, and slot 0 starts at bit 2 (GK110; KeplerAs and envydis agree).
    pub const fn from_kepler_word(word: u64, slot: u32) -> Self {
        Self::from_kepler(KeplerFlags { code: (word >> (2 + 8 * slot)) as u8 })
    }

    /// Control code of the instruction in `slot` (0 to 2) of the group after a Maxwell or Pascal control
    /// word.
    ///
    /// Each code has 21 bits: stall 4, yield 1, write barrier 3, read barrier 3, wait mask 6, reuse 4 (maxas
    /// and envydis agree).
    pub const fn from_maxwell_word(word: u64, slot: u32) -> Self {
        let bits = word >> (21 * slot);
        Self {
            dual: bits.trailing_zeros() >= 4,
            reuse_mask: (bits >> 17) as u8 & 0xf,
            ..Self::from_scheduling_bits(bits)
        }
    }

    /// Control code in the high word of a 128-bit instruction (Volta to Blackwell).
    ///
    /// Maxwell's 17 scheduling bits start at bit 41. The reuse flags are bits 58 to 61.
    pub const fn from_volta_word(high: u64) -> Self {
        Self { reuse_mask: (high >> 58) as u8 & 0xf, ..Self::from_scheduling_bits(high >> 41) }
    }

    /// Returns `word`, a control word, with this code stored for the instruction in `slot` (0 to 6). See
    /// [`Self::from_kepler_word`].
    pub const fn in_kepler_word(self, word: u64, slot: u32) -> u64 {
        let at = 2 + 8 * slot;
        word & !(0xff << at) | (self.kepler_code() as u64) << at
    }

    /// Returns `word`, a control word, with this code stored for the instruction in `slot` (0 to 2). See
    /// [`Self::from_maxwell_word`].
    pub const fn in_maxwell_word(self, word: u64, slot: u32) -> u64 {
        let at = 21 * slot;
        let bits = self.scheduling_bits() | (self.reuse_mask as u64 & 0xf) << 17;
        word & !(0x1f_ffff << at) | bits << at
    }

    /// Returns `high`, the high word of a 128-bit instruction, with this code stored in it. See
    /// [`Self::from_volta_word`].
    pub const fn in_volta_word(self, high: u64) -> u64 {
        let cleared = high & !(0x1_ffff << 41 | 0xf << 58);
        cleared | self.scheduling_bits() << 41 | (self.reuse_mask as u64 & 0xf) << 58
    }

    /// Kepler's eight bits. From a code of another generation, only the stall count and the dual-issue flag
    /// are converted.
    pub const fn kepler_code(self) -> u8 {
        match (self.kepler, self.dual) {
            (Some(flags), _) => flags.code,
            (None, true) => 0x04,
            (None, false) => 0x20 | self.stall_bits() as u8,
        }
    }

    /// The four bits of the stall count. An unspecified stall count is encoded as one cycle, as in TuringAs.
    const fn stall_bits(self) -> u64 {
        match self.stall {
            Some(stall) => stall as u64 & 0xf,
            None => 1,
        }
    }

    const fn scheduling_bits(self) -> u64 {
        let stay = if self.yields { 0 } else { 0x10 };
        self.stall_bits()
            | stay
            | barrier_field(self.write_barrier) << 5
            | barrier_field(self.read_barrier) << 8
            | (self.wait_mask as u64 & 0x3f) << 11
    }

    const fn from_scheduling_bits(bits: u64) -> Self {
        Self {
            stall: Some(bits as u8 & 0xf),
            // The bit means "stay with this warp". The warp yields if the bit is clear.
            yields: bits & 0x10 == 0,
            write_barrier: barrier(bits >> 5),
            read_barrier: barrier(bits >> 8),
            wait_mask: (bits >> 11) as u8 & 0x3f,
            ..Self::NONE
        }
    }

    /// True if a word can be a Kepler control word: its six highest bits are 000010, its two lowest 00.
    pub const fn is_kepler_word(word: u64) -> bool {
        word >> 58 == 0b00_0010 && word.trailing_zeros() >= 2
    }
}

/// Barrier index 7 means "none". The field is three bits wide, and only six scoreboards exist.
const fn barrier(field: u64) -> Option<u8> {
    match field as u8 & 7 {
        index @ 0..6 => Some(index),
        _ => None,
    }
}

const fn barrier_field(barrier: Option<u8>) -> u64 {
    match barrier {
        Some(index @ 0..6) => index as u64,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volta_words_decode_as_decoded_manually() {
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

    #[test]
    fn words_take_a_code_and_give_it_back() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let (code, word) = (seed, seed.rotate_left(29) ^ seed);
            let volta = Control::from_volta_word(code);
            assert_eq!(Control::from_volta_word(volta.in_volta_word(word)), volta);
            let others = !(0x1_ffff_u64 << 41 | 0xf << 58);
            assert_eq!(volta.in_volta_word(word) & others, word & others, "nothing else changes");
            for slot in 0..3 {
                let maxwell = Control::from_maxwell_word(code, slot);
                let written = maxwell.in_maxwell_word(word, slot);
                assert_eq!(Control::from_maxwell_word(written, slot), maxwell);
                let others = !(0x1f_ffff_u64 << (21 * slot));
                assert_eq!(written & others, word & others, "nothing else changes");
            }
            for slot in 0..7 {
                let kepler = Control::from_kepler_word(code, slot);
                let written = kepler.in_kepler_word(word, slot);
                assert_eq!(Control::from_kepler_word(written, slot), kepler);
                assert_eq!(kepler.in_kepler_word(0x0800_0000_0000_0000, slot) >> 58, 0b00_0010);
            }
        }
    }
}
