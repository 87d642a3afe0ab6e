//! Bit fields whose place and width are constants: shifts and masks, or bytes that are moved.

use super::super::ir::{Arg, Operation, Value};
use super::super::types::Type;
use super::{Reader, Target};
use syntax::ptx::Operand;

/// `prmt`'s selector that takes a word as it is: of its second operand.
const SECOND_WORD: u32 = 0x7654;
/// The same of zeros in the second operand, for the first's byte 0 alone.
const BYTE_ALONE: u64 = 0x7770;
/// Truth table of three inputs: the first under the second as a mask, else the third.
const MERGE: u64 = 0xe2;

impl<'a> Reader<'a> {
    /// `bfe` and `bfi`; false where place or width are not known. Source: what ptxas 13.5 makes of them for `sm_90`.
    pub(super) fn field(&mut self, opcode: &str, words: &[&str], operands: &[Operand<'a>]) -> bool {
        let &[ty] = words else { return false };
        let (to, value) = match (opcode, ty, operands) {
            ("bfe", "u32" | "s32", [to, from, at, width]) => {
                let from = self.value(from, ty);
                (to, self.field_of(ty, from, (at, width)))
            }
            ("bfi", "b32", [to, from, into, at, width]) => {
                let (from, into) = (self.value(from, ty), self.value(into, ty));
                (to, self.with_field(from, into, (at, width)))
            }
            _ => return false,
        };
        let Some(value) = value else { return false };
        for target in Self::targets(to) {
            if let Target::One(name) = target {
                self.write(name, value);
            }
        }
        true
    }

    /// A field's first bit and its width, if it lies within a word.
    fn span(&mut self, (at, width): (&Operand<'a>, &Operand<'a>)) -> Option<(u32, u32)> {
        let bits = |reader: &mut Self, operand: &Operand<'a>| {
            let value = reader.value(operand, "b32").value;
            reader.body.constant_of(value).and_then(|bits| u32::try_from(bits).ok())
        };
        let (at, width) = (bits(self, at)?, bits(self, width)?);
        (width > 0 && at.checked_add(width)? <= 32).then_some((at, width))
    }

    fn field_of(&mut self, ty: &str, from: Arg, span: (&Operand<'a>, &Operand<'a>)) -> Option<Value> {
        let (at, width) = self.span(span)?;
        let constant = |reader: &mut Self, bits: u64| Arg::plain(reader.body.constant(bits, 1));
        if ty == "u32" && width == 8 && at.is_multiple_of(8) {
            let (zero, selector) = (constant(self, 0), constant(self, BYTE_ALONE + u64::from(at / 8)));
            return Some(self.pure(Operation::Permute, Type::B32, &[from, zero, selector], 1));
        }
        let place = constant(self, u64::from(at));
        let shifted = self.pure(Operation::ShiftRight, ty, &[from, place], 1);
        if at + width == 32 {
            return Some(shifted);
        }
        let width = constant(self, u64::from(width));
        Some(self.pure(Operation::ExtendField, ty, &[Arg::plain(shifted), width], 1))
    }

    fn with_field(&mut self, from: Arg, into: Arg, span: (&Operand<'a>, &Operand<'a>)) -> Option<Value> {
        let (at, width) = self.span(span)?;
        let constant = |reader: &mut Self, bits: u64| Arg::plain(reader.body.constant(bits, 1));
        if at.is_multiple_of(8) && width.is_multiple_of(8) {
            let selector = (0..width / 8).fold(SECOND_WORD, |selector, byte| {
                let digit = 4 * (at / 8 + byte);
                selector & !(0xf << digit) | byte << digit
            });
            let selector = constant(self, u64::from(selector));
            return Some(self.pure(Operation::Permute, Type::B32, &[from, into, selector], 1));
        }
        let place = constant(self, u64::from(at));
        let shifted = Arg::plain(self.pure(Operation::ShiftLeft, Type::B32, &[from, place], 1));
        let mask = constant(self, ((1_u64 << width) - 1) << at);
        let table = constant(self, MERGE);
        Some(self.pure(Operation::Lookup, Type::B32, &[shifted, mask, into, table], 1))
    }
}
