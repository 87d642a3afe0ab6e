//! Translates bit fields with constant position and width to shifts and masks or byte permutations.

use super::super::ir::{Arg, Operation, ValueId};
use super::super::types::Type;
use super::builder::{Builder, Target, targets};
use syntax::ptx::Operand;

/// `prmt` selector that returns the second operand unchanged.
const SECOND_WORD: u32 = 0x7654; // Source: the PTX ISA, prmt
/// `prmt` selector that extracts byte 0 of the first operand and fills the other bytes from the second
/// operand, which is zero.
const BYTE_ALONE: u64 = 0x7770; // Source: the PTX ISA, prmt
/// Truth table of three inputs that selects bits: the first input where the second input (the mask) is 1,
/// otherwise the third input.
const MERGE: u64 = 0xe2; // Source: the PTX ISA, lop3

/// Translates `bfe` and `bfi`. Returns false if the position or the width is unknown. Source: SASS that ptxas 13.5
/// generates for `sm_90`.
pub(super) fn field<'a>(
    builder: &mut Builder<'a>,
    opcode: &str,
    words: &[&str],
    operands: &[Operand<'a>],
) -> bool {
    let &[ty] = words else { return false };
    let (to, value) = match (opcode, ty, operands) {
        ("bfe", "u32" | "s32", [to, from, at, width]) => {
            let from = builder.value(from, ty);
            (to, field_of(builder, ty, from, (at, width)))
        }
        ("bfi", "b32", [to, from, into, at, width]) => {
            let (from, into) = (builder.value(from, ty), builder.value(into, ty));
            (to, with_field(builder, from, into, (at, width)))
        }
        _ => return false,
    };
    let Some(value) = value else { return false };
    for target in targets(to) {
        if let Target::One(name) = target {
            builder.write(name, value);
        }
    }
    true
}

/// Returns the first bit and the width of a bit field; `None` if they are unknown or the field does not lie
/// within a word.
fn bit_range<'a>(builder: &mut Builder<'a>, (at, width): (&Operand<'a>, &Operand<'a>)) -> Option<(u32, u32)> {
    let bits = |builder: &mut Builder<'a>, operand: &Operand<'a>| {
        let value = builder.value(operand, "b32").value;
        builder.body.constant_of(value).and_then(|bits| u32::try_from(bits).ok())
    };
    let (at, width) = (bits(builder, at)?, bits(builder, width)?);
    (width > 0 && at.checked_add(width)? <= 32).then_some((at, width))
}

fn field_of<'a>(
    builder: &mut Builder<'a>,
    ty: &str,
    from: Arg,
    span: (&Operand<'a>, &Operand<'a>),
) -> Option<ValueId> {
    let (at, width) = bit_range(builder, span)?;
    let constant = |builder: &mut Builder<'a>, bits: u64| Arg::plain(builder.body.constant(bits, 1));
    if ty == "u32" && width == 8 && at.is_multiple_of(8) {
        let (zero, selector) = (constant(builder, 0), constant(builder, BYTE_ALONE + u64::from(at / 8)));
        return Some(builder.pure(Operation::Permute, Type::B32, &[from, zero, selector], 1));
    }
    let place = constant(builder, u64::from(at));
    let shifted = builder.pure(Operation::ShiftRight, ty, &[from, place], 1);
    if at + width == 32 {
        return Some(shifted);
    }
    let width = constant(builder, u64::from(width));
    Some(builder.pure(Operation::ExtendField, ty, &[Arg::plain(shifted), width], 1))
}

fn with_field<'a>(
    builder: &mut Builder<'a>,
    from: Arg,
    into: Arg,
    span: (&Operand<'a>, &Operand<'a>),
) -> Option<ValueId> {
    let (at, width) = bit_range(builder, span)?;
    let constant = |builder: &mut Builder<'a>, bits: u64| Arg::plain(builder.body.constant(bits, 1));
    if at.is_multiple_of(8) && width.is_multiple_of(8) {
        let selector = (0..width / 8).fold(SECOND_WORD, |selector, byte| {
            let digit = 4 * (at / 8 + byte);
            selector & !(0xf << digit) | byte << digit
        });
        let selector = constant(builder, u64::from(selector));
        return Some(builder.pure(Operation::Permute, Type::B32, &[from, into, selector], 1));
    }
    let place = constant(builder, u64::from(at));
    let shifted = Arg::plain(builder.pure(Operation::ShiftLeft, Type::B32, &[from, place], 1));
    let mask = constant(builder, ((1_u64 << width) - 1) << at);
    let table = constant(builder, MERGE);
    Some(builder.pure(Operation::Lookup, Type::B32, &[shifted, mask, into, table], 1))
}
