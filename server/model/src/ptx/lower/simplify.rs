//! Simplification: constant folding, identities, and value numbering.

use super::graph::Graph;
use super::ir::{Address, Arg, Body, Kind, Node, Operation, Value};
use super::known::Known;
use super::operation;
use machine::ptx::Sign;
use rustc_hash::FxHashMap;

/// Adds nodes to a body, or finds what they would compute.
#[derive(Debug, Default)]
pub(super) struct Simplifier {
    known: FxHashMap<Key, Known>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    spelling: Box<str>,
    kind: Kind,
    args: Vec<Arg>,
    addresses: Vec<Address>,
}

/// The most that an instruction's address adds: 24 bits with a sign.
const MOST_OFFSET: u64 = 0x7f_ffff;

impl Simplifier {
    /// The values that the node computes, which have so many words.
    pub(super) fn add(&mut self, body: &mut Body, graph: &Graph, mut node: Node, words: &[u8]) -> Vec<Value> {
        let is_pure = node.guard.is_none()
            && match node.kind {
                Kind::Pure(_) | Kind::Pack | Kind::Part(_) | Kind::Bank(..) => true,
                // Constant banks do not change.
                Kind::Load => reads_constants(&node),
                _ => false,
            };
        // A constant is the same in every lane.
        if let (&[width], Some(first)) = (words, node.args.first())
            && node.spelling.starts_with("shfl.")
            && node.guard.is_none()
            && body.constant_of(first.value).is_some()
            && body.words(first.value) == width
        {
            return vec![first.value];
        }
        if !is_pure {
            let id = body.add(node, words);
            return body.nodes[id as usize].results.clone();
        }
        canonical(body, &mut node);
        if let &[width] = words
            && let Some(value) = identity(body, &node, words)
            // Of a broken instruction it may be something else, like a predicate.
            && body.words(value) == width
        {
            return vec![value];
        }
        let key = Key {
            spelling: node.spelling.clone(),
            kind: node.kind,
            args: node.args.clone(),
            addresses: node.addresses.clone(),
        };
        let found = self.known.entry(key).or_default();
        if let Some(id) = found.oldest_above(graph, node.block) {
            let results = &body.nodes[id as usize].results;
            if results.len() == words.len()
                && results.iter().zip(words).all(|(&value, &words)| body.words(value) == words)
            {
                return results.clone();
            }
        }
        let block = node.block;
        let id = body.add(node, words);
        found.add(graph, block, id);
        body.nodes[id as usize].results.clone()
    }

    /// An address with the constants that were added to its base taken along.
    #[expect(clippy::unused_self, reason = "addresses are simplified where nodes are")]
    pub(super) fn address(&self, body: &Body, mut address: Address) -> Address {
        while let Some(base) = address.base {
            if let Some(bits) = body.constant_of(base) {
                return Address { base: None, offset: address.offset.wrapping_add(bits as i64), ..address };
            }
            let node = body.node_of(base);
            let [one, other] = node.args[..] else { break };
            let Kind::Pure(Operation::Add) = node.kind else { break };
            if one.sign != Sign::default() {
                break;
            }
            let Some(bits) = body.constant_of(other.value) else { break };
            let added = if body.words(base) == 2 { bits as i64 } else { i64::from(bits as u32 as i32) };
            let offset = address.offset.wrapping_add(added);
            if offset.unsigned_abs() > MOST_OFFSET {
                break;
            }
            address = Address { base: Some(one.value), offset, ..address };
        }
        address
    }
}

/// True for a load from constant banks; what other lanes hold is no constant.
pub(super) fn reads_constants(node: &Node) -> bool {
    !node.addresses.is_empty() && node.addresses.iter().all(|address| address.bank.is_some())
}

/// Writes what is the same the same way: a constant comes second, a difference with one is a sum, a product with a power
/// of two is a shift.
fn canonical(body: &mut Body, node: &mut Node) {
    let Kind::Pure(operation) = node.kind else { return };
    let wide = node.args.first().is_some_and(|arg| body.words(arg.value) == 2);
    let width = if wide { 64 } else { 32 };
    if matches!(
        operation,
        Operation::Add
            | Operation::Multiply
            | Operation::MultiplyWide
            | Operation::And
            | Operation::Or
            | Operation::Xor
    ) && let [one, other] = &mut node.args[..]
        && body.constant_of(one.value).is_some()
    {
        std::mem::swap(one, other);
    }
    let second = node.args.get(1).and_then(|arg| body.constant_of(arg.value));
    match (operation, second) {
        (Operation::Sub, Some(bits)) => {
            let bits = if wide { bits.wrapping_neg() } else { u64::from((bits as u32).wrapping_neg()) };
            node.args[1] = Arg::plain(body.constant(bits, u8::from(wide) + 1));
            node.kind = Kind::Pure(Operation::Add);
            node.spelling = format!("add.s{width}").into();
        }
        (Operation::Multiply, Some(bits)) if bits.is_power_of_two() => {
            node.args[1] = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
            node.kind = Kind::Pure(Operation::ShiftLeft);
            node.spelling = format!("shl.b{width}").into();
        }
        (Operation::Other, Some(bits)) if bits.is_power_of_two() && &*node.spelling == "div.u32" => {
            node.args[1] = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
            node.kind = Kind::Pure(Operation::ShiftRight);
            node.spelling = "shr.u32".into();
        }
        (Operation::Other, Some(bits)) if bits.is_power_of_two() && &*node.spelling == "rem.u32" => {
            node.args[1] = Arg::plain(body.constant(bits - 1, 1));
            node.kind = Kind::Pure(Operation::And);
            node.spelling = "and.b32".into();
        }
        (Operation::Other, Some(bits)) if bits.is_power_of_two() && bits < 1 << 31 => {
            let spelling = match &*node.spelling {
                "mad.wide.s32" => "lea.wide.s32",
                "mad.wide.u32" => "lea.wide.u32",
                _ => return,
            };
            let shift = Arg::plain(body.constant(u64::from(bits.trailing_zeros()), 1));
            let &[factor, _, added] = &node.args[..] else { return };
            node.args = vec![factor, added, shift];
            node.spelling = spelling.into();
        }
        _ => {}
    }
    reassociate(body, node, wide);
}

/// The sum of a sum and a constant is one sum; two shifts are one.
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
    let is_signed = node.ty().starts_with('s');
    let most = if wide { 64 } else { 32 };
    let (sum, words) = match operation {
        Operation::Add if wide => (sum, 2),
        Operation::Add => (u64::from(sum as u32), 1),
        Operation::ShiftRight if is_signed || inner_ty(body, first.value).starts_with('s') => return,
        _ => (sum.min(most), 1),
    };
    node.args = vec![base, Arg::plain(body.constant(sum, words))];
}

fn inner_ty(body: &Body, value: Value) -> &str {
    body.node_of(value).ty()
}

/// A value that the node would only compute again.
fn identity(body: &mut Body, node: &Node, words: &[u8]) -> Option<Value> {
    match node.kind {
        Kind::Part(at) => part(body, node.args[0].value, at, words[0]),
        Kind::Pack => packed(body, node),
        Kind::Pure(operation) => computed(body, node, operation, words[0]),
        _ => None,
    }
}

fn part(body: &mut Body, whole: Value, at: u8, words: u8) -> Option<Value> {
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

fn packed(body: &mut Body, node: &Node) -> Option<Value> {
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

fn computed(body: &mut Body, node: &Node, operation: Operation, words: u8) -> Option<Value> {
    let constants: Option<Vec<u64>> = node.args.iter().map(|arg| body.constant_of(arg.value)).collect();
    let is_plain = node.args.iter().all(|arg| arg.sign == Sign::default());
    if let Some(constants) = constants.filter(|_| is_plain)
        && let Some(bits) = operation::fold(operation, node.ty(), &constants)
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
            (Operation::And | Operation::Or, None) => rest.first() == Some(first),
            (Operation::PredicateLogic, None) => {
                rest.first() == Some(first) && matches!(&*node.spelling, "and.pred" | "or.pred")
            }
            _ => false,
        };
    if is_first && body.words(first.value) == words {
        return Some(first.value);
    }
    match (operation, second) {
        (Operation::And | Operation::Multiply, Some(0)) => Some(body.constant(0, words)),
        (Operation::Sub | Operation::Xor, None) if rest.first() == Some(first) && is_plain => {
            Some(body.constant(0, words))
        }
        (Operation::ShiftLeft, Some(bits)) if bits >= 32 * u64::from(words) => Some(body.constant(0, words)),
        (Operation::ShiftRight, Some(bits))
            if bits >= 32 * u64::from(words) && !node.ty().starts_with('s') =>
        {
            Some(body.constant(0, words))
        }
        (Operation::Compare, _) => compared(body, node),
        (Operation::Other, _) if &*node.spelling == "prmt.b32" => permuted(body, node),
        (Operation::Select, _) => selected(body, node),
        (Operation::Extreme, None) if rest.first() == Some(first) && is_plain => Some(first.value),
        _ => None,
    }
}

/// A comparison of a value with itself, as far as it holds for what is no number, too.
fn compared(body: &mut Body, node: &Node) -> Option<Value> {
    let [one, other] = node.args[..] else { return None };
    let mut words = node.spelling.split('.').skip(1);
    let comparison = words.next()?;
    if one != other || words.any(|word| matches!(word, "and" | "or" | "xor")) {
        return None;
    }
    let is_float = operation::is_float(node.ty());
    match comparison {
        "lt" | "gt" | "lo" | "hi" | "ne" => Some(body.constant(0, 0)),
        "eq" | "le" | "ge" | "ls" | "hs" if !is_float => Some(body.constant(1, 0)),
        _ => None,
    }
}

/// A permutation that takes one of its words as it is, where that is a constant; of others ptxas leaves it.
fn permuted(body: &Body, node: &Node) -> Option<Value> {
    let [one, other, selector] = node.args[..] else { return None };
    let taken = match body.constant_of(selector.value)? & 0xffff {
        0x3210 => one.value,
        0x7654 => other.value,
        _ => return None,
    };
    body.constant_of(taken).map(|_| taken)
}

/// A choice between a value and itself, or between two that were just found equal.
fn selected(body: &Body, node: &Node) -> Option<Value> {
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
    match &*compare.spelling {
        "setp.eq.s32" | "setp.eq.u32" | "setp.eq.b32" | "setp.eq.s64" | "setp.eq.u64" | "setp.eq.b64" => {
            Some(other.value)
        }
        "setp.ne.s32" | "setp.ne.u32" | "setp.ne.b32" | "setp.ne.s64" | "setp.ne.u64" | "setp.ne.b64" => {
            Some(one.value)
        }
        _ => None,
    }
}
