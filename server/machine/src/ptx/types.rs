//! Types: how wide they are and what may be of them.

use serde::Deserialize;

/// A type of registers, variables or instructions: `u32`, `bf16x2`, `texref`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    pub class: TypeClass,
    /// Bits of one value; 1 for a predicate.
    pub bits: u16,
    /// Spaces in which it may be declared: `reg`, `memory` (a variable in `.global`, `.shared`, `.local` or `.const`),
    /// `param`, `value` (a variable with an initialiser), `global` and `entry` (textures, samplers and surfaces).
    pub spaces: Box<[Box<str>]>,
}

/// Class of a type, by the kind of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeClass {
    Predicate,
    /// `b32`: of no kind.
    Bits,
    Unsigned,
    Signed,
    Float,
    /// A type of instructions alone, whose values lie in registers of bits: `bf16`, `e4m3x2`.
    Packed,
    /// A handle: `texref`.
    Opaque,
}

impl Type {
    /// True if something of that sort may be declared of it: see [`Type::spaces`].
    pub fn may_be(&self, sort: &str) -> bool {
        self.spaces.iter().any(|have| **have == *sort)
    }

    /// True for types of whole numbers and of bits, in whose registers addresses may lie.
    pub fn is_bits_or_integer(&self) -> bool {
        self.class == TypeClass::Bits || self.is_integer()
    }

    /// True for types of whole numbers, signed or unsigned; false for `b32`.
    pub fn is_integer(&self) -> bool {
        matches!(self.class, TypeClass::Unsigned | TypeClass::Signed)
    }
}
