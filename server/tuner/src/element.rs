//! Types of matrix elements.

use std::fmt;
use std::str::FromStr;

/// Element type of all matrices of a problem. Products are summed in the same type, as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// Half precision, multiplied in pairs (`fma.rn.f16x2`).
    F16,
    F32,
    F64,
}

impl Element {
    pub const ALL: [Self; 3] = [Self::F16, Self::F32, Self::F64];

    pub const fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The type with this element size in bytes; `None` if no type has this size.
    pub fn of_bytes(bytes: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.bytes() == bytes)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|element| element.name() == text);
        found.ok_or_else(|| format!("`{text}` is not an element type; expected f16, f32 or f64"))
    }
}
