//! The rule on PTX: virtual registers, whose writes and reads the text names.

use super::RULE;
use crate::ptx::{Finding, Related, Subject};
use model::ptx::{Body, Operand, OperandKind, Touch};
use std::collections::BTreeSet;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body().filter(|body| body.flow.is_whole()) else { return };
    // An instruction with an error may write any register that it names.
    let wrong = (0..body.flow.nodes().len() as u32).filter(|&at| subject.has_error_in(&body.range(at)));
    let mut told: BTreeSet<_> = wrong
        .flat_map(|at| body.registers.reads(at).map(|touch| touch.register).collect::<Vec<_>>())
        .collect();
    for (block, at) in body.flow.blocks().iter().zip(0..).filter(|(block, _)| block.is_reached) {
        if block.instructions.is_empty() {
            continue;
        }
        body.written().walk(&body.flow, &body.registers, at, |instruction, written| {
            for touch in body.registers.reads(instruction) {
                if told.contains(&touch.register) {
                    continue;
                }
                let found = match written(touch.register) {
                    (false, _) if is_undefined_part(body, instruction, touch) => None,
                    (false, _) => Some(never(body, touch)),
                    (true, true) => None,
                    (true, false) => sometimes(body, instruction, touch),
                };
                if found.is_some() {
                    told.insert(touch.register);
                }
                findings.extend(found);
            }
        });
    }
}

/// A part of a wider value that a `mov` puts together: compilers leave those undefined that nobody looks at.
fn is_undefined_part(body: &Body<'_>, instruction: u32, touch: &Touch) -> bool {
    let statement = body.statement(instruction);
    let token = body.token_range(touch.token);
    let holds = |operand: &Operand<'_>| {
        operand.range().is_some_and(|range| range.start <= token.start && token.end <= range.end)
    };
    body.item.opcode(statement) == Some("mov")
        && body.item.operands(statement).any(|one| one.kind() == OperandKind::Vector && holds(&one))
}

fn never(body: &Body<'_>, touch: &Touch) -> Finding {
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

/// A register that is written under one condition and read whether it holds or not.
///
/// Told only where nothing hides that the condition holds: all writes stand under one branch outside of loops, the read
/// stands under no condition at all, and so no other branch can have asked the same. What only computes a value is passed
/// over: compilers copy and select values that are then not used.
fn sometimes(body: &Body<'_>, instruction: u32, touch: &Touch) -> Option<Finding> {
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
    let related = [(branch, "this branch decides whether it is written"), (first, "written after this")];
    let related = related.map(|(at, message)| Related { place: body.range(at), message: message.to_owned() });
    Some(Finding {
        related: related.to_vec(),
        ..Finding::new(RULE.code, body.token_range(touch.token), message)
    })
}
