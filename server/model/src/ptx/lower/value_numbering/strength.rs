//! Canonical forms and strength reduction: a constant is the second operand, and products, quotients and
//! remainders of powers of two become shifts and masks.

use super::super::ir::{Arg, Body, Kind, Node, Operation};
use super::super::types::Type;
use machine::ptx::Sign;

/// Brings a node into canonical form. A constant becomes the second operand, and a difference with a constant
/// becomes a sum. A product with a power of two becomes a shift; an unsigned quotient becomes a shift, and an
/// unsigned remainder a mask.
pub(super) fn canonical(body: &mut Body, node: &mut Node) {
    let Kind::Pure(operation) = node.kind else { return };
    let wide = node.args.first().is_some_and(|arg| body.words(arg.value) == 2);
    if operation.is_commutative()
        && let [one, other] = &mut node.args[..]
        && body.constant_of(one.value).is_some()
    {
        std::mem::swap(one, other);
    }
    let second = node.args.get(1).and_then(|arg| body.constant_of(arg.value));
    let ty = body.opcode(node).ty;
    match (operation, second) {
        (Operation::Subtract, Some(bits)) => {
            let bits = if wide { bits.wrapping_neg() } else { u64::from((bits as u32).wrapping_neg()) };
            node.args[1] = Arg::plain(body.constant(bits, u8::from(wide) + 1));
            become_operation(body, node, Operation::Add, if wide { Type::S64 } else { Type::S32 });
        }
        (Operation::Multiply, Some(bits)) if bits.is_power_of_two() => {
            node.args[1] = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
            become_operation(body, node, Operation::ShiftLeft, if wide { Type::B64 } else { Type::B32 });
        }
        (Operation::Divide, Some(bits)) if bits.is_power_of_two() && ty == Type::U32 => {
            node.args[1] = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
            become_operation(body, node, Operation::ShiftRight, Type::U32);
        }
        (Operation::Remainder, Some(bits)) if bits.is_power_of_two() && ty == Type::U32 => {
            node.args[1] = Arg::plain(body.constant(bits - 1, 1));
            become_operation(body, node, Operation::And, Type::B32);
        }
        (Operation::MultiplyAddWide, Some(bits)) if bits.is_power_of_two() && bits < 1 << 31 => {
            let is_word = matches!(ty, Type::S32 | Type::U32);
            let &[factor, _, added] = &node.args[..] else { return };
            if is_word {
                let shift = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
                node.args = vec![factor, added, shift];
                become_operation(body, node, Operation::ShiftAddWide, ty);
            }
        }
        _ => {}
    }
    reassociate(body, node, wide);
}

fn become_operation(body: &mut Body, node: &mut Node, operation: Operation, ty: Type) {
    node.kind = Kind::Pure(operation);
    node.opcode = body.opcodes.made(operation, ty);
}

/// Merges two additions of constants into one addition, and two shifts by constants into one shift.
fn reassociate(body: &mut Body, node: &mut Node, wide: bool) {
    let Kind::Pure(operation @ (Operation::Add | Operation::ShiftLeft | Operation::ShiftRight)) = node.kind
    else {
        return;
    };
    let [first, second] = node.args[..] else { return };
    let Some(bits) = body.constant_of(second.value) else { return };
    let inner = body.node_of(first.value);
    let same = inner.kind == Kind::Pure(operation) && inner.guard.is_none() && first.sign == Sign::default();
    let [base, added] = inner.args[..] else { return };
    let Some(more) = body.constant_of(added.value).filter(|_| same && base.sign == Sign::default()) else {
        return;
    };
    let sum = bits.wrapping_add(more);
    let is_signed = body.opcode(node).ty.is_signed();
    let most = if wide { 64 } else { 32 };
    let (sum, words) = match operation {
        Operation::Add if wide => (sum, 2),
        Operation::Add => (u64::from(sum as u32), 1),
        Operation::ShiftRight if is_signed || body.opcode(body.node_of(first.value)).ty.is_signed() => return,
        _ => (sum.min(most), 1),
    };
    node.args = vec![base, Arg::plain(body.constant(sum, words))];
}
