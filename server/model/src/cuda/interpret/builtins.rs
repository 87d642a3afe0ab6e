//! Built-in arithmetic functions and atomic operations.

use crate::cuda::notes::Notes;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::builtins::Operation;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::{Pointer, Value};
use std::ops::Range;
use syntax::cuda::BinaryOp;

/// Evaluates a function of one number. For a value that is not an integer, `abs` returns the value unchanged
/// and a bit function returns an unknown integer.
pub(super) fn of_one(operation: Operation, value: Value) -> Value {
    let Value::Int(lanes) = &value else {
        let is_absolute = operation == Operation::Absolute;
        return if is_absolute { value } else { Value::Int(Lanes::unknown(IntType::INT)) };
    };
    let is_long = lanes.of.bytes == 8;
    let bits = |f: &dyn Fn(i64) -> u32| each(lanes, IntType::INT, |value| i64::from(f(value)));
    Value::Int(match operation {
        Operation::Absolute => each(lanes, lanes.of, i64::wrapping_abs),
        Operation::Ones if is_long => bits(&|value| value.count_ones()),
        Operation::Ones => bits(&|value| (value as u32).count_ones()),
        Operation::LeadingZeros32 => bits(&|value| (value as u32).leading_zeros()),
        Operation::LeadingZeros64 => bits(&|value| value.leading_zeros()),
        Operation::FirstOne => {
            bits(&|value| if value as u32 == 0 { 0 } else { (value as u32).trailing_zeros() + 1 })
        }
        Operation::Reversed => bits(&|value| (value as u32).reverse_bits()),
        _ => Lanes::unknown(IntType::INT),
    })
}

/// Evaluates the minimum, the maximum or the product of two values.
pub(super) fn of_two(warp: &mut WarpState<'_>, operation: Operation, one: &Value, other: &Value) -> Value {
    if operation == Operation::Product {
        return warp.binary(BinaryOp::Multiply, one, other);
    }
    let (Value::Int(one), Value::Int(other)) = (one, other) else {
        return warp.binary(BinaryOp::Add, one, other);
    };
    let of = one.of.joined(other.of);
    let less = one.compare(BinaryOp::Less, other, &warp.symbols);
    let takes_one = if operation == Operation::Least { less.holds } else { !less.holds & !less.unknown };
    let mut result = other.to(of).merged(takes_one, &one.to(of));
    result.forget(less.unknown);
    Value::Int(result)
}

/// Evaluates an atomic operation on the memory that a pointer points to.
pub(super) fn atomic<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    is_combined: bool,
    pointer: Option<Pointer>,
    range: &Range<u32>,
) -> Value {
    let Some(pointer) = pointer else {
        notes.unclear();
        return Value::Unknown(Type::Unknown);
    };
    // If all lanes update the same word, the compiler combines the updates and one lane sends the request.
    let is_word = matches!(pointer.to, Type::Int(of) if of.bytes == 4);
    let lanes = warp.lanes;
    if is_combined && is_word && pointer.offset.shared(warp.active()).is_some() {
        warp.lanes.set_active(warp.active() & warp.active().wrapping_neg());
    }
    notes.access(warp, &pointer, AccessKind::Atomic, range);
    warp.lanes = lanes;
    Value::unknown(&pointer.to)
}

/// Applies a function to each known lane. The result is unknown if the numbers have an unknown base.
fn each(lanes: &Lanes, of: IntType, f: impl Fn(i64) -> i64) -> Lanes {
    if lanes.base.is_some() {
        return Lanes::unknown(of);
    }
    let at = lanes.at.map(|number| of.wrap(f(number)));
    Lanes { of, at, base: None, strided: None, ..lanes.clone() }
}
