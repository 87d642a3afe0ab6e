//! Types of PTX: their widths, and the state spaces in which they may be declared.

use serde::Deserialize;

/// A type of registers, variables or instructions: `u32`, `bf16x2`, `texref`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    pub class: TypeClass,
    /// Number of bits in one value; 1 for a predicate.
    pub bits: u16,
    /// State spaces in which the type may be declared: `reg`, `memory` (a variable in `.global`, `.shared`,
    /// `.local` or `.const`), `param`, `value` (a variable with an initialiser), `global` and `entry`
    /// (textures, samplers and surfaces).
    pub spaces: Box<[Box<str>]>,
}

/// Class of a type, by the kind of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeClass {
    Predicate,
    /// `b32`: untyped.
    Bits,
    Unsigned,
    Signed,
    Float,
    /// A type used only in instructions; its values are held in untyped registers: `bf16`, `e4m3x2`.
    Packed,
    /// A handle: `texref`.
    Opaque,
}

impl Type {
    /// True if a variable of the sort `sort` may have this type. See [`Type::spaces`].
    pub fn may_be(&self, sort: &str) -> bool {
        self.spaces.iter().any(|have| **have == *sort)
    }

    /// True for integer and untyped types, whose registers may hold addresses.
    pub fn is_bits_or_integer(&self) -> bool {
        self.class == TypeClass::Bits || self.is_integer()
    }

    /// True for signed and unsigned integers; false for `b32`.
    pub fn is_integer(&self) -> bool {
        matches!(self.class, TypeClass::Unsigned | TypeClass::Signed)
    }
}
