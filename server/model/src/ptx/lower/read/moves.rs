//! Moves of values: copies, vectors, words of register pairs, and parameters.

use super::super::facts::{Declaration, Storage};
use super::super::ir::{Address, Arg, Kind, NOWHERE, Node, Operation, ValueId};
use super::super::types::Type;
use super::builder::{Builder, Target, spell, targets};
use super::values::integer;
use machine::ptx::Sign;
use syntax::ptx::{Operand, OperandKind};

/// Translates `mov`: a copy, a pack of several values into one value, or an unpack of one value into several.
pub(super) fn moves<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) {
    let [to, from] = operands else { return };
    let ty = words.last().copied().unwrap_or("b32");
    if to.kind() == OperandKind::Vector {
        let parts: Vec<&str> = to.elements().map(|part| part.text()).collect();
        let whole = builder.value(from, ty).value;
        if Type::from_name(ty).words() == 1 && parts.len() == 2 {
            // The lower half is the register itself: readers use only the lower half.
            let high = builder.pure(Operation::HighHalf, Type::B32, &[Arg::plain(whole)], 1);
            for (name, half) in parts.into_iter().zip([whole, high]) {
                if name != "_" {
                    builder.write(name, half);
                }
            }
        } else {
            builder.take_apart(&parts, whole);
        }
        return;
    }
    if from.kind() == OperandKind::Vector && Type::from_name(ty).words() == 1 {
        let parts: Vec<Arg> = from.elements().map(|part| builder.value(&part, "b16")).collect();
        let value = builder.pure(Operation::PackHalves, Type::B32, &parts, 1);
        builder.write(to.text(), value);
        return;
    }
    copy_as(builder, operands, ty, guard);
}

pub(super) fn copy_as<'a>(
    builder: &mut Builder<'a>,
    operands: &[Operand<'a>],
    ty: &str,
    guard: Option<(ValueId, bool)>,
) {
    let [to, from] = operands else { return };
    let mut arg = builder.value(from, ty);
    let Some((words, _)) = builder.declared(to.text()) else { return };
    if builder.body.words(arg.value) == 1 && words == 2 {
        arg = Arg::plain(builder.with_zeros(arg.value));
    }
    if guard.is_none() && arg.sign == Sign::default() {
        builder.write(to.text(), arg.value);
        return;
    }
    if let Some(guard) = guard
        && words > 0
        && arg.sign == Sign::default()
    {
        let old = builder.register(to.text(), words);
        let value = if matches!(builder.body.node_of(old).kind, Kind::Undefined) {
            arg.value
        } else {
            // A select between two existing values. For floats, a different pipe executes the select.
            let ty = if ty == "f32" { Type::F32 } else { Type::of_words(words) };
            let args = [arg, Arg::plain(old), Arg::guard(guard)];
            builder.pure(Operation::Select, ty, &args, words)
        };
        builder.write(to.text(), value);
        return;
    }
    move_to(builder, to, arg, words, guard);
}

/// Adds a move for a `mov` or `cvt` whose result is not simply its source: the source has a sign or another width, or the
/// instruction has a guard.
fn move_to<'a>(
    builder: &mut Builder<'a>,
    to: &Operand<'a>,
    arg: Arg,
    words: u8,
    guard: Option<(ValueId, bool)>,
) {
    let opcode = builder.body.opcodes.made(Operation::Move, Type::of_words(words));
    let kind = Kind::Pure(Operation::Move);
    let node = Node { guard, ..Node::new(opcode, kind, builder.block, builder.origin) }.with([arg]);
    builder.define(node, &[Target::One(to.text())]);
}

/// Translates integer conversions that only add or remove words.
pub(super) fn widen<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) {
    let ([to, from], Some(widening)) = (operands, widening(words)) else { return };
    let arg = builder.value(from, words.last().copied().unwrap_or("b32")).value;
    let Some((width, _)) = builder.declared(to.text()) else { return };
    let value = match widening {
        Widening::Same => arg,
        Widening::Low => builder.part(arg, 0, 1),
        Widening::Zero => builder.with_zeros(arg),
        Widening::Sign => {
            let shift = builder.body.constant(31, 1);
            let high =
                builder.pure(Operation::ShiftRight, Type::S32, &[Arg::plain(arg), Arg::plain(shift)], 1);
            builder.pack(vec![arg, high])
        }
    };
    if guard.is_none() && builder.body.words(value) == width {
        builder.write(to.text(), value);
        return;
    }
    move_to(builder, to, Arg::plain(value), width.max(1), guard);
}

pub(super) fn load_parameter<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) {
    let [to, from] = operands else { return };
    let Some(inside) = from.elements().next() else { return };
    let (base, offset) = inside.base_and_offset();
    let offset = offset.and_then(|offset| integer(&offset)).unwrap_or(0);
    let ty = words.last().copied().unwrap_or("b32");
    match builder.scopes.find(base.text()) {
        Some(Declaration::Variable(Storage::Parameter(at))) if builder.is_entry => {
            let first = builder.tables.arch.constant_bank.parameters.value;
            let at = first.wrapping_add(at).wrapping_add(offset as u32);
            let address = Address { base: None, offset: i64::from(at), bank: Some(0) };
            let opcode = builder.body.opcodes.spelled(&spell("ld", words));
            let mut node = Node { guard, ..Node::new(opcode, Kind::Load, builder.block, builder.origin) };
            node.addresses.push(address);
            if builder.reads_bank && to.kind() == OperandKind::Name && Type::from_name(ty).words() > 0 {
                node.kind = Kind::Bank(0, at);
                node.block = NOWHERE;
            }
            let targets = targets(to);
            builder.define(node, &targets);
        }
        _ => {
            // Parameters of a function and results of a call are in registers by the calling convention.
            let names: Vec<&str> = if to.kind() == OperandKind::Vector {
                to.elements().map(|part| part.text()).collect()
            } else {
                vec![to.text()]
            };
            for name in names {
                let width = builder.declared(name).map_or(1, |(words, _)| words);
                let held = builder.declared(base.text()).filter(|&(words, _)| words == width);
                let value = match held {
                    Some((words, register)) => {
                        builder.registers.read(builder.body, builder.graph, builder.block, register, words)
                    }
                    None => builder.body.undefined(width),
                };
                builder.write(name, value);
            }
        }
    }
}

pub(super) fn store_parameter<'a>(builder: &mut Builder<'a>, words: &[&str], operands: &[Operand<'a>]) {
    let [to, from] = operands else { return };
    let arg = builder.value(from, words.last().copied().unwrap_or("b32"));
    let words = builder.body.words(arg.value);
    let opcode = builder.body.opcodes.made(Operation::Move, Type::of_words(words.max(1)));
    let node = Node::new(opcode, Kind::Effect, builder.block, builder.origin).with([arg]);
    let value = builder.body.value_of(node, words);
    if let Some(inside) = to.elements().next() {
        builder.write(inside.base_and_offset().0.text(), value);
    }
}

pub(super) enum Widening {
    Same,
    Low,
    Zero,
    Sign,
}

/// Returns the change in word count of a conversion between integers of 32 and 64 bits; `None` for other
/// conversions.
pub(super) fn widening(words: &[&str]) -> Option<Widening> {
    let [to, from] = words else { return None };
    let is_word = |ty: &str| matches!(ty, "s32" | "u32" | "s64" | "u64" | "b32" | "b64");
    if !is_word(to) || !is_word(from) {
        return None;
    }
    Some(match (Type::from_name(to).words(), Type::from_name(from).words()) {
        (1, 2) => Widening::Low,
        (2, 1) if from.starts_with('s') => Widening::Sign,
        (2, 1) => Widening::Zero,
        _ => Widening::Same,
    })
}
