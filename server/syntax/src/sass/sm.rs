//! The architecture that a text names, and the encoding of its instructions.

use std::fmt;

/// A compute capability as tools write it: `sm_35`, `sm_90a`. Ordered by number, then by suffix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SmVersion {
    /// Major times ten plus minor: 35, 90, 100, 120.
    pub number: u16,
    /// `b'a'` or `b'f'` for an architecture-specific or family-specific target, otherwise 0.
    pub suffix: u8,
}

impl SmVersion {
    /// A version without a suffix: 90 is `sm_90`.
    pub const fn new(number: u16) -> Self {
        Self { number, suffix: 0 }
    }

    /// Reads `sm_90a`, `SM90`, `sm_35`. `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text
            .strip_prefix("sm_")
            .or_else(|| text.strip_prefix("SM_"))
            .or_else(|| text.strip_prefix("SM"))?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        match &rest.as_bytes()[digits..] {
            [] => Some(Self { number, suffix: 0 }),
            [suffix @ (b'a' | b'f')] => Some(Self { number, suffix: *suffix }),
            _ => None,
        }
    }

    /// The encoding of this architecture's instructions.
    pub fn encoding(self) -> Encoding {
        match self.number {
            0..50 => Encoding::Kepler,
            50..70 => Encoding::Maxwell,
            _ => Encoding::Volta,
        }
    }
}

impl fmt::Display for SmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number)?;
        if self.suffix != 0 { write!(f, "{}", self.suffix as char) } else { Ok(()) }
    }
}

impl fmt::Debug for SmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Layout of instruction words. It determines where control codes are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Encoding {
    /// 64-bit words. One control word precedes seven instructions, with eight bits each (sm_35, sm_37).
    Kepler,
    /// 64-bit words. One control word precedes three instructions, with 21 bits each (sm_50 to sm_62).
    Maxwell,
    /// 128-bit words that include the control code (sm_70 and later).
    Volta,
}

impl Encoding {
    /// Bytes from one instruction to the next, ignoring control words.
    pub const fn instruction_bytes(self) -> u32 {
        match self {
            Self::Kepler | Self::Maxwell => 8,
            Self::Volta => 16,
        }
    }

    /// Number of instructions whose codes share one control word; 1 if each instruction includes its code.
    pub const fn control_group(self) -> u32 {
        match self {
            Self::Kepler => 7,
            Self::Maxwell => 3,
            Self::Volta => 1,
        }
    }

    /// True if the instruction at this address is the last of its control group.
    pub const fn ends_control_group(self, address: u32) -> bool {
        let group = self.control_group();
        group == 1 || address / self.instruction_bytes() % (group + 1) == group
    }
}
