//! Peephole optimisation (instruction combining). Merges a product or a shift with the addition that uses it,
//! chained additions, chained bitwise operations (into one truth table), and a comparison with the predicate
//! operation that uses it.

use super::super::graph::Graph;
use super::super::ir::{Arg, Body, Kind, Node, NodeId, OpcodeId, Operation, ValueId};
use super::super::types::Type;
use machine::ptx::Sign;
use std::fmt::Display;
use syntax::stop;

/// Merges nodes into later nodes of the same block that use their results.
pub(super) fn combine(body: &mut Body, _: &Graph) {
    let mut counts = body.use_counts();
    for block in 0..body.blocks.len() {
        for at in 0..body.blocks[block].nodes.len() {
            stop::check_at(at);
            let id = body.blocks[block].nodes[at];
            let mut joiner = Joiner { body, counts: &mut counts, id };
            joiner.join();
        }
    }
}

struct Joiner<'a> {
    body: &'a mut Body,
    counts: &'a mut Vec<u32>,
    id: NodeId,
}

impl Joiner<'_> {
    fn join(&mut self) {
        let Kind::Pure(operation) = self.node().kind else { return };
        if self.node().guard.is_some() {
            return;
        }
        self.take_signs(operation);
        match operation {
            Operation::Add | Operation::Subtract if self.words() == 1 => self.sum(),
            Operation::Add if self.words() == 2 => self.wide_sum(),
            Operation::And | Operation::Or | Operation::Xor | Operation::Not | Operation::Lookup
                if self.words() == 1 =>
            {
                self.table();
            }
            Operation::FloatAdd | Operation::FloatSubtract => self.float_sum(),
            Operation::PredicateAnd | Operation::PredicateOr | Operation::PredicateXor => self.predicate(),
            _ => {}
        }
    }

    fn node(&self) -> &Node {
        &self.body.nodes[self.id as usize]
    }

    fn words(&self) -> u8 {
        self.node().results.first().map_or(0, |&value| self.body.words(value))
    }

    /// Returns the node with this operation in the same block that defines the operand, if the operand has no
    /// other reader.
    fn single(&self, arg: Arg, operation: Operation) -> Option<&Node> {
        self.near(arg, operation).filter(|_| self.counts[arg.value as usize] == 1)
    }

    /// Returns the unguarded node with this operation in the same block that defines the operand.
    fn near(&self, arg: Arg, operation: Operation) -> Option<&Node> {
        let node = self.body.node_of(arg.value);
        let is =
            node.kind == Kind::Pure(operation) && node.guard.is_none() && node.block == self.node().block;
        is.then_some(node)
    }

    fn become_node(&mut self, operation: Operation, words: impl Display, args: Vec<Arg>) {
        let opcode = self.body.opcodes.made(operation, words);
        self.become_opcode(opcode, operation, args);
    }

    fn become_opcode(&mut self, opcode: OpcodeId, operation: Operation, args: Vec<Arg>) {
        for arg in &args {
            self.counts[arg.value as usize] += 1;
        }
        let old = std::mem::replace(&mut self.body.nodes[self.id as usize].args, args);
        for arg in old {
            self.release(arg.value);
        }
        let node = &mut self.body.nodes[self.id as usize];
        node.opcode = opcode;
        node.kind = Kind::Pure(operation);
    }

    /// Removes one use of a value. A node without remaining uses also releases its operands.
    fn release(&mut self, value: ValueId) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            let count = &mut self.counts[value as usize];
            if *count == 0 {
                continue;
            }
            *count -= 1;
            let node = self.body.node_of(value);
            if *count == 0 && node.is_removable() && node.results.len() == 1 && node.kind != Kind::Phi {
                stack.extend(node.reads());
            }
        }
    }

    /// Folds negations of floating-point operands into the operand signs.
    fn take_signs(&mut self, operation: Operation) {
        let ty = self.body.opcode(self.node()).ty;
        let takes = match operation {
            Operation::FloatAdd | Operation::FloatSubtract | Operation::FloatMultiply => true,
            Operation::FusedMultiplyAdd => ty != Type::F16X2,
            Operation::Compare => ty.is_float() && !ty.is_brain(),
            _ => false,
        };
        if !takes {
            return;
        }
        for at in 0..self.node().args.len() {
            let arg = self.node().args[at];
            let inner = self.body.node_of(arg.value);
            let is_negation = inner.kind == Kind::Pure(Operation::FloatNegate)
                && self.body.opcode(inner).ty == ty
                && inner.guard.is_none();
            if is_negation {
                let mut taken = inner.args[0];
                taken.sign.minus ^= !arg.sign.minus;
                self.body.nodes[self.id as usize].args[at] = taken;
                self.counts[taken.value as usize] += 1;
                self.release(arg.value);
            }
        }
    }

    fn sum(&mut self) {
        let [one, other] = self.node().args[..] else { return };
        let is_difference = self.node().kind == Kind::Pure(Operation::Subtract);
        let second = if is_difference { negated(other) } else { other };
        for (inner, kept, is_second) in [(one, second, false), (other, one, true)] {
            let is_negative = is_second && is_difference;
            if let Some(product) = self.single(inner, Operation::Multiply)
                && !is_negative
                && inner.sign == Sign::default()
                && kept.sign == Sign::default()
            {
                let mut args = product.args.clone();
                args.push(kept);
                return self.become_node(Operation::MultiplyAdd, Type::S32, args);
            }
            if let Some(shift) = self.near(inner, Operation::ShiftLeft)
                && !is_negative
                && inner.sign == Sign::default()
                && self.body.constant_of(shift.args[1].value).is_some_and(|bits| bits < 32)
                && self.body.constant_of(kept.value).is_none()
            {
                let args = vec![shift.args[0], kept, shift.args[1]];
                return self.become_node(Operation::ShiftAdd, Type::S32, args);
            }
            // Upper word of a shifted pair.
            if let Some(funnel) = self.single(inner, Operation::FunnelShift)
                && !is_negative
                && inner.sign == Sign::default()
                && funnel.args.len() == 3
                && self.body.constant_of(funnel.args[2].value).is_some_and(|bits| bits < 32)
            {
                let args = vec![funnel.args[0], kept, funnel.args[1], funnel.args[2]];
                return self.become_node(Operation::ShiftAddHigh, Type::S32, args);
            }
        }
        for (inner, kept, is_second) in [(one, second, false), (other, one, true)] {
            let flip = is_second && is_difference;
            let found = [Operation::Add, Operation::Subtract].into_iter().find_map(|operation| {
                let sum = self.single(inner, operation)?;
                let [left, right] = sum.args[..] else { return None };
                Some((left, if operation == Operation::Subtract { negated(right) } else { right }))
            });
            let Some((left, right)) = found.filter(|_| inner.sign == Sign::default()) else { continue };
            let turn = |arg: Arg| if flip { negated(arg) } else { arg };
            let args = vec![turn(left), turn(right), kept];
            // At most one operand may be a constant.
            let constants = args.iter().filter(|arg| self.body.constant_of(arg.value).is_some()).count();
            if constants <= 1 {
                return self.become_node(Operation::AddThree, Type::S32, args);
            }
        }
        if is_difference {
            self.become_node(Operation::Add, Type::S32, vec![one, second]);
        }
    }

    fn wide_sum(&mut self) {
        let [one, other] = self.node().args[..] else { return };
        for (inner, kept) in [(one, other), (other, one)] {
            let node = self.body.node_of(inner.value);
            if node.guard.is_some() || inner.sign != Sign::default() || kept.sign != Sign::default() {
                continue;
            }
            let ty = self.body.opcode(node).ty;
            match node.kind {
                Kind::Pure(Operation::MultiplyWide) if matches!(ty, Type::S32 | Type::U32) => {
                    let args = vec![node.args[0], node.args[1], kept];
                    return self.become_node(Operation::AddressWide, ty, args);
                }
                Kind::Pure(Operation::ShiftLeft) => {
                    let (base, shift) = (node.args[0], node.args[1]);
                    if self.body.constant_of(shift.value).is_none_or(|bits| bits > 31) {
                        continue;
                    }
                    if self.counts[inner.value as usize] == 1 {
                        return self.become_node(Operation::ShiftAdd, Type::S64, vec![base, kept, shift]);
                    }
                }
                _ => {}
            }
        }
    }

    /// Merges bitwise operations on at most three words into one truth table.
    fn table(&mut self) {
        let Some((mut inputs, mut table)) = self.own_table() else { return };
        while let Some((inner, all)) = inputs.iter().find_map(|&value| self.inputs_through(&inputs, value)) {
            let node = self.body.node_of(inner);
            let inner_table = self.body.constant_of(node.args[3].value).unwrap_or(0) as u8;
            let inner_inputs: Vec<ValueId> = node.args[..3].iter().map(|arg| arg.value).collect();
            let mut joined = 0_u8;
            for row in 0..8_u8 {
                let bit = |value: ValueId| {
                    all.iter().position(|&other| other == value).is_some_and(|at| row >> (2 - at) & 1 == 1)
                };
                let inner_value = look_up(inner_table, &inner_inputs, bit);
                let outer =
                    look_up(table, &inputs, |value| if value == inner { inner_value } else { bit(value) });
                joined |= u8::from(outer) << row;
            }
            inputs = all;
            table = joined;
        }
        let zero = self.body.constant(0, 1);
        let mut args: Vec<Arg> = inputs.iter().map(|&value| Arg::plain(value)).collect();
        args.resize(3, Arg::plain(zero));
        args.push(Arg::plain(self.body.constant(u64::from(table), 1)));
        self.counts.resize(self.body.values.len(), 0);
        self.become_node(Operation::Lookup, Type::B32, args);
    }

    /// Returns an input that a truth table computes, and the list of inputs after replacing this input by the
    /// inputs of its table. `None` if the list has more than three inputs.
    fn inputs_through(&self, inputs: &[ValueId], inner: ValueId) -> Option<(ValueId, Vec<ValueId>)> {
        let node = self.single(Arg::plain(inner), Operation::Lookup)?;
        let mut all: Vec<ValueId> = inputs.iter().copied().filter(|&other| other != inner).collect();
        for arg in &node.args[..3] {
            if self.body.constant_of(arg.value) != Some(0) && !all.contains(&arg.value) {
                all.push(arg.value);
            }
        }
        (all.len() <= 3).then_some((inner, all))
    }

    /// Returns the inputs of the node, and its truth table over these inputs. `None` if the node is not a
    /// bitwise operation.
    fn own_table(&self) -> Option<(Vec<ValueId>, u8)> {
        // Truth table columns of the first, the second and the third input.
        const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];
        let node = self.node();
        if node.args.iter().any(|arg| arg.sign != Sign::default()) {
            return None;
        }
        let [of_first, of_second, _] = COLUMNS;
        let values: Vec<ValueId> = node.args.iter().map(|arg| arg.value).collect();
        let (inputs, table) = match (node.kind, &values[..]) {
            (Kind::Pure(Operation::And), &[_, _]) => (values, of_first & of_second),
            (Kind::Pure(Operation::Or), &[_, _]) => (values, of_first | of_second),
            (Kind::Pure(Operation::Xor), &[_, _]) => (values, of_first ^ of_second),
            (Kind::Pure(Operation::Not), &[_]) => (values, !of_first),
            (Kind::Pure(Operation::Lookup), &[x, y, z, table]) => {
                (vec![x, y, z], self.body.constant_of(table)? as u8)
            }
            _ => return None,
        };
        if inputs.len() == 3 && (inputs[0] == inputs[1] || inputs[1] == inputs[2] || inputs[0] == inputs[2]) {
            return None;
        }
        Some((inputs, table))
    }

    /// Fuses a floating-point product and a sum that have no explicit rounding mode.
    fn float_sum(&mut self) {
        let own = self.body.opcode(self.node());
        let words = own.words().to_owned();
        // An explicit rounding mode forbids fusion.
        if !matches!(&*words, "f32" | "ftz.f32" | "f64" | "f16" | "f16x2") {
            return;
        }
        let [one, other] = self.node().args[..] else { return };
        let is_difference = self.node().kind == Kind::Pure(Operation::FloatSubtract);
        for (inner, kept, is_second) in [(one, other, false), (other, one, true)] {
            let is_similar = |product: &&Node| self.body.opcode(product).words() == words;
            let Some(product) = self.single(inner, Operation::FloatMultiply).filter(is_similar) else {
                continue;
            };
            let (mut first, second) = (product.args[0], product.args[1]);
            let flips = inner.sign.minus ^ (is_second && is_difference);
            first.sign.minus ^= flips;
            let mut kept = kept;
            kept.sign.minus ^= !is_second && is_difference;
            if inner.sign.absolute {
                continue;
            }
            let args = vec![first, second, kept];
            return self.become_node(Operation::FusedMultiplyAdd, words, args);
        }
    }

    /// Fuses a `setp` with a later predicate operation such as `and.pred`.
    fn predicate(&mut self) {
        let [one, other] = self.node().args[..] else { return };
        for (inner, kept) in [(one, other), (other, one)] {
            let Some(compare) = self.single(inner, Operation::Compare) else { continue };
            if inner.sign != Sign::default() || compare.args.len() != 2 || compare.results.len() != 1 {
                continue;
            }
            let args = vec![compare.args[0], compare.args[1], kept];
            let opcode = self.body.opcodes.joined(compare.opcode, self.node().opcode);
            return self.become_opcode(opcode, Operation::Compare, args);
        }
    }
}

fn negated(mut arg: Arg) -> Arg {
    arg.sign.minus ^= true;
    arg
}

/// Returns one bit of a truth table of three inputs. Missing inputs are false.
fn look_up(table: u8, inputs: &[ValueId], bit: impl Fn(ValueId) -> bool) -> bool {
    let row =
        inputs.iter().take(3).enumerate().fold(0, |row, (at, &value)| row | u8::from(bit(value)) << (2 - at));
    table >> row & 1 == 1
}
