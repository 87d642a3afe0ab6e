//! Which instructions simplification understands, and what they compute of constants.

use super::ir::{Kind, Operation};
use machine::ptx::{Does, Expansions};

/// Returns the kind of a PTX instruction, by its opcode and its words.
pub(super) fn kind(expansions: &Expansions, opcode: &str, words: &[&str]) -> Kind {
    match expansions.does(opcode) {
        Does::Acts => return Kind::Effect,
        Does::Loads if words.contains(&"volatile") => return Kind::Effect,
        Does::Loads => return Kind::Load,
        // Chains of carries run in order.
        Does::Computes if words.contains(&"cc") => return Kind::Effect,
        Does::Computes => {}
    }
    let ty = words.last().copied().unwrap_or_default();
    let is_float = is_float(ty);
    let is_integer = matches!(ty, "s32" | "u32" | "b32" | "s64" | "u64" | "b64");
    let operation = match opcode {
        "add" if is_integer && words.len() == 1 => Operation::Add,
        "sub" if is_integer && words.len() == 1 => Operation::Sub,
        "mul" if is_integer && words[0] == "lo" => Operation::Multiply,
        "mad" if is_integer && words[0] == "lo" && words.len() == 2 => Operation::MultiplyAdd,
        "mul" if is_integer && words[0] == "wide" => Operation::MultiplyWide,
        "shl" if is_integer => Operation::ShiftLeft,
        "shr" if is_integer => Operation::ShiftRight,
        "and" | "or" | "xor" | "not" if ty == "pred" => Operation::PredicateLogic,
        "and" if is_integer => Operation::And,
        "or" if is_integer => Operation::Or,
        "xor" if is_integer => Operation::Xor,
        "not" if is_integer => Operation::Not,
        "lop3" if words.len() == 1 => Operation::Lookup,
        "min" | "max" => Operation::Extreme,
        "setp" => Operation::Compare,
        "selp" => Operation::Select,
        "add" | "sub" if is_float => Operation::FloatAdd,
        "mul" if is_float => Operation::FloatMultiply,
        "neg" if is_float => Operation::FloatNegate,
        _ => Operation::Other,
    };
    Kind::Pure(operation)
}

pub(super) fn is_float(ty: &str) -> bool {
    ty.starts_with('f') || ty.starts_with("bf")
}

/// Bits of a type: of `s32` 32. `None` for what has no number.
pub(super) fn bits(ty: &str) -> Option<u32> {
    if ty == "pred" {
        return Some(1);
    }
    let digits = ty.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let (bits, lanes) = digits.split_once('x').unwrap_or((digits, "1"));
    bits.parse::<u32>().ok()?.checked_mul(lanes.parse().ok()?)
}

/// Registers of 32 bits that a value of the type takes; 0 for a predicate, 1 for what is not known.
pub(super) fn words(ty: &str) -> u8 {
    match bits(ty) {
        Some(1) => 0,
        Some(bits) => bits.div_ceil(32).clamp(1, 4) as u8,
        None => 1,
    }
}

/// The same with so many operands: what has others than the operation takes is no more than computed.
pub(super) fn with_operands(kind: Kind, count: usize) -> Kind {
    let Kind::Pure(operation) = kind else { return kind };
    let takes = match operation {
        Operation::Other => return kind,
        Operation::Not | Operation::FloatNegate => 1..=1,
        Operation::PredicateLogic => 1..=2,
        Operation::MultiplyAdd | Operation::Select => 3..=3,
        Operation::Lookup => 4..=4,
        Operation::Compare => 2..=3,
        _ => 2..=2,
    };
    if takes.contains(&count) { kind } else { Kind::Pure(Operation::Other) }
}

/// Folds an operation on constants. `None` for what is not folded.
pub(super) fn fold(operation: Operation, ty: &str, values: &[u64]) -> Option<u64> {
    let wide = bits(ty)? == 64;
    let is_signed = ty.starts_with('s');
    let cut = |value: u64| if wide { value } else { value & 0xffff_ffff };
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as u32 as i32) };
    let width = if wide { 64 } else { 32 };
    let shift = |value: u64| (value & 0xffff_ffff).min(width);
    Some(cut(match (operation, values) {
        (Operation::Add, &[a, b]) => a.wrapping_add(b),
        (Operation::Sub, &[a, b]) => a.wrapping_sub(b),
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
