//! Operations that the passes distinguish, and constant folding of operations.

use super::types::Type;

/// Operation of an instruction, without its type. Some operations do not exist in PTX: passes create them by
/// combining several instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    MultiplyWide,
    MultiplyAddWide,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    /// A shift of two adjacent words that returns the upper word.
    FunnelShift,
    And,
    Or,
    Xor,
    Not,
    /// Bitwise function of three words, defined by a truth table.
    Lookup,
    /// Permutation of the bytes of two words.
    Permute,
    /// A bit field of a given width, sign-extended or zero-extended.
    ExtendField,
    Compare,
    Select,
    PredicateAnd,
    PredicateOr,
    PredicateXor,
    PredicateNot,
    Minimum,
    Maximum,
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    FloatNegate,
    FusedMultiplyAdd,
    /// Sum of three words.
    AddThree,
    /// Sum of a word and a shifted word.
    ShiftAdd,
    /// Sum of a word and the upper word of a shifted register pair.
    ShiftAddHigh,
    /// Sum of a register pair and a word that is shifted and widened.
    ShiftAddWide,
    /// Sum of a register pair and the product of two words.
    AddressWide,
    Move,
    PackHalves,
    HighHalf,
    /// Address of a variable in shared memory, given its offset.
    SharedAddress,
    /// Address of a variable in local memory, given its offset.
    LocalAddress,
    /// Address of a global variable, which is loaded from a constant bank.
    Symbol,
    Load,
    Shuffle,
    Branch,
    Return,
    Exit,
    /// Any operation that the passes leave unchanged.
    Other,
}

impl Operation {
    /// Returns the operation of an instruction of PTX or of the expansion table, given its opcode and
    /// modifiers.
    pub(super) fn decode(opcode: &str, words: &[&str]) -> Self {
        let ty = Type::from_name(words.last().copied().unwrap_or_default());
        let is_word = ty.is_integer() && matches!(ty.bits(), Some(32 | 64));
        match (opcode, words) {
            ("add", [_]) if is_word => Self::Add,
            ("sub", [_]) if is_word => Self::Subtract,
            ("mul", ["lo", ..]) if is_word => Self::Multiply,
            ("mad", ["lo", _]) if is_word => Self::MultiplyAdd,
            ("mul", ["wide", ..]) if is_word => Self::MultiplyWide,
            ("mad", ["wide", _]) if is_word => Self::MultiplyAddWide,
            ("div", [_]) if is_word => Self::Divide,
            ("rem", [_]) if is_word => Self::Remainder,
            ("shl", _) if is_word => Self::ShiftLeft,
            ("shr", _) if is_word => Self::ShiftRight,
            ("shf", ["l", "wrap", "b32"]) => Self::FunnelShift,
            ("and", _) if ty == Type::PREDICATE => Self::PredicateAnd,
            ("or", _) if ty == Type::PREDICATE => Self::PredicateOr,
            ("xor", _) if ty == Type::PREDICATE => Self::PredicateXor,
            ("not", _) if ty == Type::PREDICATE => Self::PredicateNot,
            ("and", _) if is_word => Self::And,
            ("or", _) if is_word => Self::Or,
            ("xor", _) if is_word => Self::Xor,
            ("not", _) if is_word => Self::Not,
            ("lop3", [_]) => Self::Lookup,
            ("prmt", ["b32"]) => Self::Permute,
            ("szext", ["wrap", _]) => Self::ExtendField,
            ("min", _) => Self::Minimum,
            ("max", _) => Self::Maximum,
            ("setp", _) => Self::Compare,
            ("selp", _) => Self::Select,
            ("add", _) if ty.is_float() => Self::FloatAdd,
            ("sub", _) if ty.is_float() => Self::FloatSubtract,
            ("mul", _) if ty.is_float() => Self::FloatMultiply,
            ("neg", _) if ty.is_float() => Self::FloatNegate,
            ("fma", _) => Self::FusedMultiplyAdd,
            ("add3", _) => Self::AddThree,
            ("lea", ["high", _]) => Self::ShiftAddHigh,
            ("lea", ["wide", _]) => Self::ShiftAddWide,
            ("lea", [_]) => Self::ShiftAdd,
            ("address", _) => Self::AddressWide,
            ("mov", _) => Self::Move,
            ("pack", _) => Self::PackHalves,
            ("unpack", ["high", _]) => Self::HighHalf,
            ("", ["shared"]) => Self::SharedAddress,
            ("", ["local"]) => Self::LocalAddress,
            ("", ["symbol"]) => Self::Symbol,
            ("ld", _) => Self::Load,
            ("shfl", _) => Self::Shuffle,
            ("bra", _) => Self::Branch,
            ("ret", _) => Self::Return,
            ("exit", _) => Self::Exit,
            _ => Self::Other,
        }
    }

    /// Returns the spelling in the expansion table without the type. `None` for operations that no pass
    /// creates.
    pub(super) fn stem(self) -> Option<&'static str> {
        Some(match self {
            Self::Add => "add",
            Self::MultiplyAdd => "mad.lo",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
            Self::And => "and",
            Self::Lookup => "lop3",
            Self::Permute => "prmt",
            Self::ExtendField => "szext.wrap",
            Self::Select => "selp",
            Self::FusedMultiplyAdd => "fma.rn",
            Self::AddThree => "add3",
            Self::ShiftAdd => "lea",
            Self::ShiftAddHigh => "lea.high",
            Self::ShiftAddWide => "lea.wide",
            Self::AddressWide => "address.wide",
            Self::Move => "mov",
            Self::PackHalves => "pack",
            Self::HighHalf => "unpack.high",
            Self::SharedAddress => ".shared",
            Self::LocalAddress => ".local",
            Self::Symbol => ".symbol",
            Self::Load => "ld",
            Self::Branch => "bra",
            Self::Return => "ret",
            Self::Exit => "exit",
            _ => return None,
        })
    }

    /// True if the operation accepts `count` operands. An operation with another operand count is passed
    /// through unchanged.
    pub(super) fn takes(self, count: usize) -> bool {
        match self {
            Self::Not | Self::FloatNegate | Self::PredicateNot => count == 1,
            Self::PredicateAnd | Self::PredicateOr | Self::PredicateXor => (1..=2).contains(&count),
            Self::MultiplyAdd | Self::Select => count == 3,
            Self::Lookup => count == 4,
            Self::Compare => (2..=3).contains(&count),
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::MultiplyWide
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Minimum
            | Self::Maximum
            | Self::FloatAdd
            | Self::FloatSubtract
            | Self::FloatMultiply => count == 2,
            _ => true,
        }
    }

    /// True if the operands of the operation may be swapped.
    pub(super) fn is_commutative(self) -> bool {
        matches!(self, Self::Add | Self::Multiply | Self::MultiplyWide | Self::And | Self::Or | Self::Xor)
    }
}

/// Folds an operation on constants. `None` if the operation is not folded.
pub(super) fn fold(operation: Operation, ty: Type, values: &[u64]) -> Option<u64> {
    let wide = ty.bits()? == 64;
    let is_signed = ty.is_signed();
    let cut = |value: u64| if wide { value } else { value & 0xffff_ffff };
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as u32 as i32) };
    let width = if wide { 64 } else { 32 };
    let shift = |value: u64| (value & 0xffff_ffff).min(width);
    Some(cut(match (operation, values) {
        (Operation::Add, &[a, b]) => a.wrapping_add(b),
        (Operation::Subtract, &[a, b]) => a.wrapping_sub(b),
        (Operation::Multiply, &[a, b]) => a.wrapping_mul(b),
        (Operation::MultiplyAdd, &[a, b, c]) => a.wrapping_mul(b).wrapping_add(c),
        (Operation::MultiplyWide, &[a, b]) if is_signed => {
            return Some(signed(a).wrapping_mul(signed(b)) as u64);
        }
        (Operation::MultiplyWide, &[a, b]) => return Some((a & 0xffff_ffff).wrapping_mul(b & 0xffff_ffff)),
        (Operation::ShiftLeft, &[a, b]) => {
            a.checked_shl(shift(b) as u32).filter(|_| shift(b) < width).unwrap_or(0)
        }
        (Operation::ShiftRight, &[a, b]) if is_signed => (signed(a) >> shift(b).min(width - 1)) as u64,
        (Operation::ShiftRight, &[a, b]) => {
            cut(a).checked_shr(shift(b) as u32).filter(|_| shift(b) < width).unwrap_or(0)
        }
        (Operation::And, &[a, b]) => a & b,
        (Operation::Or, &[a, b]) => a | b,
        (Operation::Xor, &[a, b]) => a ^ b,
        (Operation::Not, &[a]) => !a,
        _ => return None,
    }))
}
