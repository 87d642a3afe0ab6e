//! The rule for PTX, on virtual registers.

use super::RULE;
use crate::ptx::{Finding, Related, Subject};
use model::ptx::{Body, Operand, OperandKind, RegisterUse};
use std::collections::BTreeSet;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body().filter(|body| body.flow.is_whole()) else { return };
    // An instruction with an error may write any of its registers.
    let wrong = (0..body.flow.nodes().len() as u32).filter(|&at| subject.has_error_in(&body.range(at)));
    let mut reported: BTreeSet<_> = wrong
        .flat_map(|at| body.registers.reads(at).map(|touch| touch.register).collect::<Vec<_>>())
        .collect();
    for (block, at) in body.flow.blocks().iter().zip(0..).filter(|(block, _)| block.is_reached) {
        if block.instructions.is_empty() {
            continue;
        }
        body.written().walk(&body.flow, &body.registers, at, |instruction, written| {
            for touch in body.registers.reads(instruction) {
                if reported.contains(&touch.register) {
                    continue;
                }
                let found = match written(touch.register) {
                    (false, _) if is_undefined_part(body, instruction, touch) => None,
                    (false, _) if may_start_anew(subject, body, instruction, touch) => None,
                    (false, _) => Some(never(body, touch)),
                    (true, true) => None,
                    (true, false) => sometimes(body, instruction, touch),
                };
                if found.is_some() {
                    reported.insert(touch.register);
                }
                findings.extend(found);
            }
        });
    }
}

/// True if the register is an element that a `mov` packs into a wider value. Compilers leave unused elements
/// undefined.
fn is_undefined_part(body: &Body<'_>, instruction: u32, touch: &RegisterUse) -> bool {
    let statement = body.statement(instruction);
    let token = body.token_range(touch.token);
    let holds = |operand: &Operand<'_>| {
        operand.range().is_some_and(|range| range.start <= token.start && token.end <= range.end)
    };
    body.item.opcode(statement) == Some("mov")
        && body.item.operands(statement).any(|one| one.kind() == OperandKind::Vector && holds(&one))
}

/// True for an accumulator of a warpgroup product that may ignore its old value, because scale-d is 0 or
/// unknown.
fn may_start_anew(subject: &Subject<'_>, body: &Body<'_>, instruction: u32, touch: &RegisterUse) -> bool {
    let statement = body.statement(instruction);
    if !touch.writes() || body.item.opcode(statement) != Some("wgmma") {
        return false;
    }
    // Operands before scale-d: accumulators, two matrices and, for a sparse product, two operands that select
    // elements.
    let before = if body.item.modifiers(statement).any(|word| word == "sp") { 5 } else { 3 };
    let scale = body.item.operands(statement).nth(before);
    scale.is_some_and(|scale| truth(subject, body, instruction, &scale) != Some(true))
}

/// The value of a predicate that depends only on constants; otherwise `None`.
fn truth(subject: &Subject<'_>, body: &Body<'_>, instruction: u32, predicate: &Operand<'_>) -> Option<bool> {
    let value = |at, operand: &Operand<'_>| body.constant_value(subject.globals, at, operand);
    if let Some(value) = value(instruction, predicate) {
        return Some(value != 0);
    }
    let name = predicate.name().filter(|_| predicate.kind() == OperandKind::Name)?;
    let mut reads = body.registers.reads(instruction);
    let read = reads.find(|touch| body.item.tokens()[touch.token as usize].start == name.start)?;
    let writers = body.definitions().reaching(&body.flow, instruction, read.register);
    let [writer] = writers[..] else { return None };
    let at = body.definitions().all()[writer as usize].instruction;
    let statement = body.statement(at);
    let is_guarded = body.flow.nodes()[at as usize].is_guarded;
    body.item.opcode(statement).filter(|opcode| *opcode == "setp" && !is_guarded)?;
    let mut operands = body.item.operands(statement);
    operands.next().filter(|result| result.kind() == OperandKind::Name)?;
    let (left, right) = (operands.next()?, operands.next()?);
    let is_equal = value(at, &left)? == value(at, &right)?;
    // A combined predicate depends on more than the two values.
    let words: Vec<&str> = body.item.modifiers(statement).collect();
    match words[..] {
        ["eq", _] => Some(is_equal),
        ["ne", _] => Some(!is_equal),
        _ => None,
    }
}

fn never(body: &Body<'_>, touch: &RegisterUse) -> Finding {
    let name = body.registers.name(touch.register, body.item, body.names);
    let writers = body.definitions().of_register(touch.register);
    let (message, related) = if let Some(&first) = writers.first() {
        let at = body.definitions().all()[first as usize].instruction;
        let place = Related {
            place: body.range(at),
            message: "written here, but no path leads from here to the read".to_owned(),
        };
        (format!("`{name}` is read before it is written"), vec![place])
    } else {
        (format!("`{name}` is read but never written"), Vec::new())
    };
    Finding { related, ..Finding::new(RULE.code, body.token_range(touch.token), message) }
}

/// Returns a finding for a register that is written under a condition and read unconditionally.
///
/// `None` unless all writes depend on a single branch outside of loops and the read depends on no branch, so that no
/// other branch can have tested the same condition. Reads by instructions that only compute a value are skipped,
/// because compilers copy and select values that are not used later.
fn sometimes(body: &Body<'_>, instruction: u32, touch: &RegisterUse) -> Option<Finding> {
    let flow = &body.flow;
    let control = body.control();
    let reader = &flow.nodes()[instruction as usize];
    let is_free = |block: u32| control.deciders(block).is_empty() && control.loop_of(block).is_none();
    if reader.is_guarded || !is_free(reader.block) || body.only_computes(instruction) {
        return None;
    }
    let definitions = body.definitions();
    let writers = definitions.of_register(touch.register).iter();
    let mut blocks: Vec<u32> = writers
        .map(|&one| flow.nodes()[definitions.all()[one as usize].instruction as usize].block)
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    let [writer] = blocks[..] else { return None };
    let [decider] = control.deciders(writer) else { return None };
    if !is_free(*decider) || control.loop_of(writer).is_some() {
        return None;
    }
    let name = body.registers.name(touch.register, body.item, body.names);
    let branch = flow.blocks()[*decider as usize].instructions.end - 1;
    let first = flow.blocks()[writer as usize].instructions.start;
    let message = format!("`{name}` is always read here but only conditionally written");
    let related =
        [(branch, "this branch determines whether the register is written"), (first, "written after this")];
    let related = related.map(|(at, message)| Related { place: body.range(at), message: message.to_owned() });
    Some(Finding {
        related: related.to_vec(),
        ..Finding::new(RULE.code, body.token_range(touch.token), message)
    })
}
