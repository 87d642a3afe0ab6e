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
