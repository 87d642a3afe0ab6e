//! Types of values, from the last modifier of an instruction.

use std::fmt;

/// A PTX type, such as `s32`, `f16x2` or `pred`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Type {
    class: Class,
    bits: u16,
    lanes: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Signed,
    Unsigned,
    Bits,
    Float,
    /// `bf16`.
    Brain,
    Predicate,
    /// Not a type, or a type that the passes do not evaluate.
    Other,
}

impl Type {
    pub(super) const PREDICATE: Self = Self { class: Class::Predicate, bits: 1, lanes: 1 };
    pub(super) const B32: Self = Self { class: Class::Bits, bits: 32, lanes: 1 };
    pub(super) const B64: Self = Self { class: Class::Bits, bits: 64, lanes: 1 };
    pub(super) const S32: Self = Self { class: Class::Signed, bits: 32, lanes: 1 };
    pub(super) const S64: Self = Self { class: Class::Signed, bits: 64, lanes: 1 };
    pub(super) const U32: Self = Self { class: Class::Unsigned, bits: 32, lanes: 1 };
    pub(super) const F32: Self = Self { class: Class::Float, bits: 32, lanes: 1 };
    pub(super) const F16X2: Self = Self { class: Class::Float, bits: 16, lanes: 2 };
    const NONE: Self = Self { class: Class::Other, bits: 0, lanes: 0 };

    /// Returns the type with this name, given without its dot.
    pub(super) fn from_name(name: &str) -> Self {
        if name == "pred" {
            return Self::PREDICATE;
        }
        let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let (bits, lanes) = digits.split_once('x').unwrap_or((digits, "1"));
        let (Ok(bits), Ok(lanes)) = (bits.parse(), lanes.parse()) else { return Self::NONE };
        let class = match &name[..name.len() - digits.len()] {
            "s" => Class::Signed,
            "u" => Class::Unsigned,
            "b" => Class::Bits,
            "f" => Class::Float,
            "bf" => Class::Brain,
            _ => Class::Other,
        };
        Self { class, bits, lanes }
    }

    /// Returns the bit-size type (`b32`, `b64`) of a value of `words` registers, or `pred` if `words` is 0.
    pub(super) fn of_words(words: u8) -> Self {
        match words {
            0 => Self::PREDICATE,
            2 => Self::B64,
            _ => Self::B32,
        }
    }

    /// Returns the width of a value in bits. `None` if the type has no width.
    pub(super) fn bits(self) -> Option<u32> {
        u32::from(self.bits).checked_mul(self.lanes.into()).filter(|_| self != Self::NONE)
    }

    /// Returns the number of 32-bit registers of a value: 0 for a predicate, 1 if the width is unknown.
    pub(super) fn words(self) -> u8 {
        match self.bits() {
            Some(1) => 0,
            Some(bits) => bits.div_ceil(32).clamp(1, 4) as u8,
            None => 1,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self.class, Class::Float | Class::Brain)
    }

    /// True for an unpacked integer type: signed, unsigned or untyped bits.
    pub(super) fn is_integer(self) -> bool {
        matches!(self.class, Class::Signed | Class::Unsigned | Class::Bits) && self.lanes == 1
    }

    /// True for `bf16` and packed `bf16`.
    pub(super) fn is_brain(self) -> bool {
        self.class == Class::Brain
    }

    pub(super) fn is_signed(self) -> bool {
        self.class == Class::Signed
    }

    /// True for several numbers packed in one register, such as `f16x2`.
    pub(super) fn is_packed(self) -> bool {
        self.lanes > 1
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = match self.class {
            Class::Signed => "s",
            Class::Unsigned => "u",
            Class::Bits => "b",
            Class::Float => "f",
            Class::Brain => "bf",
            Class::Predicate => return formatter.write_str("pred"),
            Class::Other => "",
        };
        write!(formatter, "{letters}{}", self.bits)?;
        if self.is_packed() { write!(formatter, "x{}", self.lanes) } else { Ok(()) }
    }
}
