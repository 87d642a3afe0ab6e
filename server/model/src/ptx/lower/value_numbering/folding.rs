//! Constant folding, and identities under which a node equals one of its operands.

use super::super::ir::{Body, Kind, Node, Operation, ValueId};
use super::super::opcode::Comparison;
use super::super::operation;
use machine::ptx::Sign;

/// Returns an existing value that equals the result of the node; `None` if no such value is found.
pub(super) fn identity(body: &mut Body, node: &Node, words: &[u8]) -> Option<ValueId> {
    match node.kind {
        Kind::Part(at) => part(body, node.args[0].value, at, words[0]),
        Kind::Pack => packed(body, node),
        Kind::Pure(operation) => computed(body, node, operation, words[0]),
        _ => None,
    }
}

fn part(body: &mut Body, whole: ValueId, at: u8, words: u8) -> Option<ValueId> {
    if at == 0 && body.words(whole) == words {
        return Some(whole);
    }
    if let Some(bits) = body.constant_of(whole) {
        return Some(body.constant(bits >> (32 * u32::from(at).min(1)) & 0xffff_ffff, words));
    }
    let node = body.node_of(whole);
    if node.kind != Kind::Pack {
        return None;
    }
    let mut place = 0_u8;
    for arg in &node.args {
        if place == at {
            return Some(arg.value).filter(|&value| body.words(value) == words);
        }
        place = place.saturating_add(body.words(arg.value));
    }
    None
}

/// Turns a pack of consecutive words of one value into a single element node of this value. The first word must be
/// aligned like a register tuple of the total width.
pub(super) fn taken_from_one(body: &Body, node: &mut Node) {
    let (Kind::Pack, [first, _, ..]) = (node.kind, &node.args[..]) else { return };
    let taken = body.node_of(first.value);
    let (Kind::Part(start), [whole]) = (taken.kind, &taken.args[..]) else { return };
    let mut place = start;
    for arg in &node.args {
        let own = body.node_of(arg.value);
        if own.kind != Kind::Part(place) || own.args[0] != *whole {
            return;
        }
        place = place.saturating_add(body.words(arg.value));
    }
    if start.is_multiple_of((place - start).next_power_of_two()) {
        (node.kind, node.args) = (Kind::Part(start), vec![*whole]);
    }
}

fn packed(body: &mut Body, node: &Node) -> Option<ValueId> {
    if let [only] = node.args[..] {
        return Some(only.value);
    }
    let bits: Option<Vec<u64>> = node.args.iter().map(|arg| body.constant_of(arg.value)).collect();
    if let Some(&[low, high]) = bits.as_deref()
        && node.args.iter().all(|arg| body.words(arg.value) == 1)
    {
        return Some(body.constant(low & 0xffff_ffff | high << 32, 2));
    }
    let first = body.node_of(node.args.first()?.value);
    let whole = first.args.first().map(|arg| arg.value).filter(|_| first.kind == Kind::Part(0))?;
    let mut place = 0_u8;
    for arg in &node.args {
        let own = body.node_of(arg.value);
        if own.kind != Kind::Part(place) || own.args[0].value != whole {
            return None;
        }
        place = place.saturating_add(body.words(arg.value));
    }
    (place == body.words(whole)).then_some(whole)
}

fn computed(body: &mut Body, node: &Node, operation: Operation, words: u8) -> Option<ValueId> {
    let constants: Option<Vec<u64>> = node.args.iter().map(|arg| body.constant_of(arg.value)).collect();
    let is_plain = node.args.iter().all(|arg| arg.sign == Sign::default());
    if let Some(constants) = constants.filter(|_| is_plain)
        && let Some(bits) = operation::fold(operation, body.opcode(node).ty, &constants)
    {
        return Some(body.constant(bits, words));
    }
    let [first, rest @ ..] = &node.args[..] else { return None };
    let second = rest.first().and_then(|arg| body.constant_of(arg.value));
    let all = if words == 2 { u64::MAX } else { 0xffff_ffff };
    let is_first = is_plain
        && match (operation, second) {
            (
                Operation::Add
                | Operation::ShiftLeft
                | Operation::ShiftRight
                | Operation::Or
                | Operation::Xor,
                Some(0),
            )
            | (Operation::Multiply, Some(1)) => true,
            (Operation::And, Some(bits)) => bits == all,
            (Operation::And | Operation::Or | Operation::PredicateAnd | Operation::PredicateOr, None) => {
                rest.first() == Some(first)
            }
            _ => false,
        };
    if is_first && body.words(first.value) == words {
        return Some(first.value);
    }
    match (operation, second) {
        (Operation::And | Operation::Multiply, Some(0)) => Some(body.constant(0, words)),
        (Operation::Subtract | Operation::Xor, None) if rest.first() == Some(first) && is_plain => {
            Some(body.constant(0, words))
        }
        (Operation::ShiftLeft, Some(bits)) if bits >= 32 * u64::from(words) => Some(body.constant(0, words)),
        (Operation::ShiftRight, Some(bits))
            if bits >= 32 * u64::from(words) && !body.opcode(node).ty.is_signed() =>
        {
            Some(body.constant(0, words))
        }
        (Operation::Compare, _) => compared(body, node),
        (Operation::Permute, _) => permuted(body, node),
        (Operation::Select, _) => selected(body, node),
        (Operation::Minimum | Operation::Maximum, None) if rest.first() == Some(first) && is_plain => {
            Some(first.value)
        }
        _ => None,
    }
}

/// Folds a comparison of a value with itself, unless NaN would change the result.
fn compared(body: &mut Body, node: &Node) -> Option<ValueId> {
    let [one, other] = node.args[..] else { return None };
    let holds = body.opcode(node).holds_of_same().filter(|_| one == other)?;
    Some(body.constant(holds.into(), 0))
}

/// Folds a byte permutation that returns one of its words unchanged, if this word is a constant. ptxas keeps
/// other permutations.
fn permuted(body: &Body, node: &Node) -> Option<ValueId> {
    let [one, other, selector] = node.args[..] else { return None };
    let taken = match body.constant_of(selector.value)? & 0xffff {
        0x3210 => one.value,
        0x7654 => other.value,
        _ => return None,
    };
    body.constant_of(taken).map(|_| taken)
}

/// Folds a select between equal values, with a constant condition, or between two values that the condition
/// compares.
fn selected(body: &Body, node: &Node) -> Option<ValueId> {
    let [one, other, condition] = node.args[..] else { return None };
    if one == other {
        return Some(one.value).filter(|_| one.sign == Sign::default());
    }
    if let Some(bits) = body.constant_of(condition.value) {
        let chosen = if (bits != 0) ^ condition.sign.not { one } else { other };
        return Some(chosen.value).filter(|_| chosen.sign == Sign::default());
    }
    let compare = body.node_of(condition.value);
    let [left, right] = compare.args[..] else { return None };
    let is_same = (left, right) == (one, other) || (left, right) == (other, one);
    if compare.kind != Kind::Pure(Operation::Compare) || !is_same || condition.sign != Sign::default() {
        return None;
    }
    let opcode = body.opcode(compare);
    if !opcode.ty.is_integer() || !matches!(opcode.ty.bits(), Some(32 | 64)) || opcode.is_joined() {
        return None;
    }
    match opcode.comparison? {
        Comparison::Equal => Some(other.value),
        Comparison::NotEqual => Some(one.value),
        Comparison::Strict | Comparison::Wide => None,
    }
}
