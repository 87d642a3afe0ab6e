//! Moves of values: copies, vectors, words of pairs, parameters.

use super::super::facts::{Declared, Storage};
use super::super::ir::{Address, Arg, Kind, NOWHERE, Node, Operation, Value};
use super::super::types::Type;
use super::values::integer;
use super::{Reader, Target, spell};
use machine::ptx::Sign;
use syntax::ptx::{Operand, OperandKind};

impl<'a> Reader<'a> {
    /// `mov`: a value by another name, several as one, one as several.
    pub(super) fn moves(&mut self, words: &[&str], operands: &[Operand<'a>], guard: Option<(Value, bool)>) {
        let [to, from] = operands else { return };
        let ty = words.last().copied().unwrap_or("b32");
        if to.kind() == OperandKind::Vector {
            let parts: Vec<&str> = to.elements().map(|part| part.text()).collect();
            let whole = self.value(from, ty).value;
            if Type::from_name(ty).words() == 1 && parts.len() == 2 {
                // The lower half is the register itself, of which only that half is read.
                let high = self.pure(Operation::HighHalf, Type::B32, &[Arg::plain(whole)], 1);
                for (name, half) in parts.into_iter().zip([whole, high]) {
                    if name != "_" {
                        self.write(name, half);
                    }
                }
            } else {
                self.take_apart(&parts, whole);
            }
            return;
        }
        if from.kind() == OperandKind::Vector && Type::from_name(ty).words() == 1 {
            let parts: Vec<Arg> = from.elements().map(|part| self.value(&part, "b16")).collect();
            let value = self.pure(Operation::PackHalves, Type::B32, &parts, 1);
            self.write(to.text(), value);
            return;
        }
        self.copy_as(operands, ty, guard);
    }

    pub(super) fn copy_as(&mut self, operands: &[Operand<'a>], ty: &str, guard: Option<(Value, bool)>) {
        let [to, from] = operands else { return };
        let mut arg = self.value(from, ty);
        let Some((words, _)) = self.declared(to.text()) else { return };
        if self.body.words(arg.value) == 1 && words == 2 {
            arg = Arg::plain(self.with_zeros(arg.value));
        }
        if guard.is_none() && arg.sign == Sign::default() {
            self.write(to.text(), arg.value);
            return;
        }
        if let Some(guard) = guard
            && words > 0
            && arg.sign == Sign::default()
        {
            let old = self.register(to.text(), words);
            let value = if matches!(self.body.node_of(old).kind, Kind::Undefined) {
                arg.value
            } else {
                // A choice between two that are there; of floating-point numbers the pipe is another.
                let ty = if ty == "f32" { Type::F32 } else { Type::of_words(words) };
                let args = [arg, Arg::plain(old), Arg::guard(guard)];
                self.pure(Operation::Select, ty, &args, words)
            };
            self.write(to.text(), value);
            return;
        }
        self.move_to(to, arg, words, guard);
    }

    /// A word as the lower one of two, with zeros above.
    pub(super) fn with_zeros(&mut self, word: Value) -> Value {
        let zero = self.body.constant(0, 1);
        self.pack(vec![word, zero])
    }

    /// A move that stays one: of a value with a sign, or under a guard.
    fn move_to(&mut self, to: &Operand<'a>, arg: Arg, words: u8, guard: Option<(Value, bool)>) {
        let opcode = self.body.opcodes.made(Operation::Move, Type::of_words(words));
        let kind = Kind::Pure(Operation::Move);
        let node = Node { guard, ..Node::new(opcode, kind, self.block, self.origin) }.with([arg]);
        self.define(node, &[Target::One(to.text())]);
    }

    /// Conversions of integers that only add or drop words.
    pub(super) fn widen(&mut self, words: &[&str], operands: &[Operand<'a>], guard: Option<(Value, bool)>) {
        let ([to, from], Some(widening)) = (operands, widening(words)) else { return };
        let arg = self.value(from, words.last().copied().unwrap_or("b32")).value;
        let Some((width, _)) = self.declared(to.text()) else { return };
        let value = match widening {
            Widening::Same => arg,
            Widening::Low => self.part(arg, 0, 1),
            Widening::Zero => self.with_zeros(arg),
            Widening::Sign => {
                let shift = self.body.constant(31, 1);
                let high =
                    self.pure(Operation::ShiftRight, Type::S32, &[Arg::plain(arg), Arg::plain(shift)], 1);
                self.pack(vec![arg, high])
            }
        };
        if guard.is_none() && self.body.words(value) == width {
            self.write(to.text(), value);
            return;
        }
        self.move_to(to, Arg::plain(value), width.max(1), guard);
    }

    pub(super) fn load_parameter(
        &mut self,
        words: &[&str],
        operands: &[Operand<'a>],
        guard: Option<(Value, bool)>,
    ) {
        let [to, from] = operands else { return };
        let Some(inside) = from.elements().next() else { return };
        let (base, offset) = inside.base_and_offset();
        let offset = offset.and_then(|offset| integer(&offset)).unwrap_or(0);
        let ty = words.last().copied().unwrap_or("b32");
        match self.scopes.find(base.text()) {
            Some(Declared::Variable(Storage::Parameter(at))) if self.is_entry => {
                let first = self.tables.arch.constant_bank.parameters.value;
                let at = first.wrapping_add(at).wrapping_add(offset as u32);
                let address = Address { base: None, offset: i64::from(at), bank: Some(0) };
                let opcode = self.body.opcodes.spelled(&spell("ld", words));
                let mut node = Node { guard, ..Node::new(opcode, Kind::Load, self.block, self.origin) };
                node.addresses.push(address);
                if self.reads_bank && to.kind() == OperandKind::Name && Type::from_name(ty).words() > 0 {
                    node.kind = Kind::Bank(0, at);
                    node.block = NOWHERE;
                }
                let targets = Self::targets(to);
                self.define(node, &targets);
            }
            _ => {
                // A function's own, or what a call gave back: registers by the calling convention.
                let names: Vec<&str> = if to.kind() == OperandKind::Vector {
                    to.elements().map(|part| part.text()).collect()
                } else {
                    vec![to.text()]
                };
                for name in names {
                    let width = self.declared(name).map_or(1, |(words, _)| words);
                    let held = self.declared(base.text()).filter(|&(words, _)| words == width);
                    let value = match held {
                        Some((words, register)) => {
                            self.registers.read(self.body, self.graph, self.block, register, words)
                        }
                        None => self.body.undefined(width),
                    };
                    self.write(name, value);
                }
            }
        }
    }

    pub(super) fn store_parameter(&mut self, words: &[&str], operands: &[Operand<'a>]) {
        let [to, from] = operands else { return };
        let arg = self.value(from, words.last().copied().unwrap_or("b32"));
        let words = self.body.words(arg.value);
        let opcode = self.body.opcodes.made(Operation::Move, Type::of_words(words.max(1)));
        let node = Node::new(opcode, Kind::Effect, self.block, self.origin).with([arg]);
        let value = self.body.value_of(node, words);
        if let Some(inside) = to.elements().next() {
            self.write(inside.base_and_offset().0.text(), value);
        }
    }
}

pub(super) enum Widening {
    Same,
    Low,
    Zero,
    Sign,
}

/// Returns the widening that a conversion between whole words does.
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
