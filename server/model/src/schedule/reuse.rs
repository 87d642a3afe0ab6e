//! Reuse flags. An operand stays in its latch if the next instruction with the same bank and slot names it
//! again.
//!
//! Measured latches are as in `pipeline/collector.rs`: one for each bank and operand slot, filled by every
//! instruction of a fixed-latency pipe, with separate latches for double precision. On other architectures, a
//! flag is set only for the directly following instruction, and only if the text determines the slots. On
//! Maxwell and Pascal, the slots are the sources in order (maxas); on later architectures, this applies to
//! instructions with three sources. No register is kept across jumps, by an instruction under a guard, or if
//! the register is written in between.

use super::flow::mnemonic;
use super::pairs;
use super::text::Text;
use crate::pipeline::{BANKS, SLOTS};
use crate::{Control, Program, RegisterFile, operand_roles};
use machine::{Flow, FunctionUnit, RoleKind, Rule};
use std::ops::Range;
use syntax::sass::Encoding;

/// A latch that may stay filled.
#[derive(Debug, Clone, Copy)]
struct Latch {
    register: u16,
    inst: u32,
    /// True if the operand may get the flag.
    open: bool,
}

type Latches = [[Option<Latch>; SLOTS]; BANKS];

/// Sets the reuse flags of the `wanted` instructions.
pub(super) fn mark(text: Text, program: &Program, wanted: impl Fn(u32) -> bool, controls: &mut [Control]) {
    for block in &program.blocks {
        mark_block(text, program, block.instructions.clone(), &wanted, controls);
    }
}

fn mark_block(
    text: Text,
    program: &Program,
    range: Range<u32>,
    wanted: &impl Fn(u32) -> bool,
    controls: &mut [Control],
) {
    let is_measured = program.arch.pipeline.is_some();
    let mut pipes: [Latches; 2] = Default::default();
    for at in range {
        let inst = &program.instructions[at as usize];
        let pipe = pipe(program, at);
        if inst.flow != Flow::Next || (pipe.is_none() && !is_measured) {
            pipes = Default::default();
            continue;
        }
        if let Some(pipe) = pipe {
            let own = sources(text, program, at);
            for &(slot, register) in &own {
                let latch = pipes[pipe][usize::from(register % 2)][slot];
                if let Some(latch) = latch.filter(|latch| latch.open && latch.register == register) {
                    let control = &mut controls[latch.inst as usize];
                    control.reuse_mask |= 1 << slot;
                }
            }
            if !is_measured {
                pipes = Default::default();
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

/// True if a code can have reuse flags: it has a stall count above 0 and does not yield. Source: ptxas 13.5
/// for `sm_90`, which sets every possible flag on instructions that do not yield, and no flag on other
/// instructions (2,900 places).
fn may_keep(control: &Control) -> bool {
    control.stall.is_some_and(|stall| stall > 0) && !control.yields
}

/// Returns the index of the latches that an instruction uses: 1 for the double-precision latches, 0 for the other
/// latches. `None` for an instruction that uses no latch.
fn pipe(program: &Program, at: u32) -> Option<usize> {
    let class = program.instructions[at as usize].class?;
    if let Some(figures) = program.arch.pipeline.as_deref() {
        return match figures.rule(mnemonic(program, at), class) {
            Rule::Alu | Rule::Fma | Rule::Heavy | Rule::Wide | Rule::Both => Some(0),
            Rule::Fp64 => Some(1),
            _ => None,
        };
    }
    let is_simple = program.arch.unit_of(class).is_some_and(|unit| unit.kind == FunctionUnit::Sp);
    (is_simple && program.arch.class(class).latency.is_fixed()).then_some(0)
}

/// Returns the general registers that an instruction reads, with their slots. Registers of a pair are listed
/// individually.
fn sources(text: Text, program: &Program, at: u32) -> Vec<(usize, u16)> {
    let inst = &program.instructions[at as usize];
    let Some(opcode) = inst.opcode.map(|id| program.arch.isa.form(id)) else { return Vec::new() };
    let roles = operand_roles(text.operands(at), &opcode.operands);
    let is_source =
        |role: &Option<usize>| role.is_none_or(|role| opcode.operands[role].kind == RoleKind::Read);
    let slots = match program.arch.pipeline.as_deref() {
        Some(figures) => figures.slots(&opcode.mnemonic).as_bytes(),
        None if pairs::encoding(&program.arch) == Encoding::Maxwell => b"abc",
        None if roles.iter().filter(|role| is_source(role)).count() == SLOTS => b"abc",
        None => return Vec::new(),
    };
    let operands = (0..).zip(&roles).filter(|(_, role)| is_source(role));
    let mut found = Vec::new();
    for ((operand, _), &slot) in operands.zip(slots) {
        let slot = usize::from(slot.saturating_sub(b'a')).min(SLOTS - 1);
        let own = program.reads(inst).iter().filter(|access| access.operand == Some(operand));
        let general = own.filter(|access| access.register.file == RegisterFile::General);
        found.extend(general.map(|access| (slot, access.register.index)));
    }
    found
}
