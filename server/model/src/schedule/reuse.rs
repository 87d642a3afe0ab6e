//! Reuse flags: an operand that the next instruction with the same bank and slot names again stays in its latch.
//!
//! The latches as `pipeline/collector.rs` has them: one for each bank and operand slot, filled by every instruction of a
//! pipe of fixed latency, those of double precision apart. Nothing is kept across what leads elsewhere, nor by an
//! instruction under a guard, nor where the register is written in between.

use crate::{Chunk, Control, Program, RegisterFile, operand_roles};
use machine::{Flow, Pipeline, RoleKind, Rule};
use std::ops::Range;

const BANKS: usize = 2;
const SLOTS: usize = 3;

/// A latch that may stay filled.
#[derive(Debug, Clone, Copy)]
struct Latch {
    register: u16,
    inst: u32,
    /// May get the flag.
    open: bool,
}

type Latches = [[Option<Latch>; SLOTS]; BANKS];

/// Sets the reuse flags of those instructions that are `wanted`, where the architecture's latches are known.
pub(super) fn mark(chunk: &Chunk, program: &Program, wanted: impl Fn(u32) -> bool, controls: &mut [Control]) {
    let Some(figures) = program.arch.pipeline.as_deref() else { return };
    for block in &program.blocks {
        mark_block(chunk, program, figures, block.instructions.clone(), &wanted, controls);
    }
}

fn mark_block(
    chunk: &Chunk,
    program: &Program,
    figures: &Pipeline,
    range: Range<u32>,
    wanted: &impl Fn(u32) -> bool,
    controls: &mut [Control],
) {
    let mut pipes: [Latches; 2] = Default::default();
    for at in range {
        let inst = &program.instructions[at as usize];
        if inst.flow != Flow::Next {
            pipes = Default::default();
            continue;
        }
        if let Some(pipe) = pipe(program, figures, at) {
            let own = sources(chunk, program, figures, at);
            for &(slot, register) in &own {
                let latch = pipes[pipe][usize::from(register % 2)][slot];
                if let Some(latch) = latch.filter(|latch| latch.open && latch.register == register) {
                    let control = &mut controls[latch.inst as usize];
                    control.reuse_mask |= 1 << slot;
                    // With a reuse flag there is no code that yields.
                    control.yields = false;
                }
            }
            for (slot, register) in own {
                let is_plain = inst.guard.is_none() && wanted(at) && may_keep(&controls[at as usize]);
                pipes[pipe][usize::from(register % 2)][slot] =
                    Some(Latch { register, inst: at, open: is_plain });
            }
        }
        for access in program.writes(inst) {
            if access.register.file == RegisterFile::General {
                let latches = pipes.iter_mut().flatten().flatten();
                for latch in latches.flatten().filter(|latch| latch.register == access.register.index) {
                    latch.open = false;
                }
            }
        }
    }
}

/// The most cycles that a code says which does not yield. Source: as in `volta.rs`.
const MOST_STALL: u8 = 11;

fn may_keep(control: &Control) -> bool {
    control.stall.is_some_and(|stall| (1..=MOST_STALL).contains(&stall))
}

/// Which latches an instruction uses: those of double precision or the others.
fn pipe(program: &Program, figures: &Pipeline, at: u32) -> Option<usize> {
    let inst = &program.instructions[at as usize];
    let mnemonic = inst.opcode.map(|id| &*program.arch.isa.form(id).mnemonic)?;
    match figures.rule(mnemonic, inst.class?) {
        Rule::Alu | Rule::Fma | Rule::Heavy | Rule::Wide | Rule::Both => Some(0),
        Rule::Fp64 => Some(1),
        _ => None,
    }
}

/// The general registers that an instruction reads, with their slots; of a pair the first.
fn sources(chunk: &Chunk, program: &Program, figures: &Pipeline, at: u32) -> Vec<(usize, u16)> {
    let inst = &program.instructions[at as usize];
    let Some(opcode) = inst.opcode.map(|id| program.arch.isa.form(id)) else { return Vec::new() };
    let slots = figures.slots(&opcode.mnemonic).as_bytes();
    let instruction = &chunk.instructions()[at as usize];
    let roles = operand_roles(chunk.operands(instruction), &opcode.operands);
    let mut found = Vec::new();
    let mut next = 0;
    for (operand, role) in roles.into_iter().enumerate() {
        if role.is_some_and(|role| opcode.operands[role].kind != RoleKind::Read) {
            continue;
        }
        let Some(&slot) = slots.get(next) else { break };
        next += 1;
        let slot = usize::from(slot.saturating_sub(b'a')).min(SLOTS - 1);
        let own = program.reads(inst).iter().filter(|access| access.operand == u8::try_from(operand).ok());
        let general = own.filter(|access| access.register.file == RegisterFile::General);
        found.extend(general.map(|access| (slot, access.register.index)));
    }
    found
}
