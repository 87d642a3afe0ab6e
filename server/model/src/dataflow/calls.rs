//! Registers that calls and returns access without naming them, by the vendor's calling convention.

use crate::{Inst, Program, Register, RegisterFile};
use machine::{Flow, Isa};

/// The stack pointer, which is live from a kernel's first instruction to its last.
pub(super) const STACK_POINTER: Register = Register { file: RegisterFile::General, index: 1 };

/// Effect of an instruction on registers that it does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Convention {
    /// No effect.
    None,
    /// A call: the callee may change every register that is not callee-saved.
    Call,
    /// A return: the caller may read the callee-saved registers.
    Return,
    /// `P2R`, `R2P`: moves predicates as bits of a register. The life ranges that nvdisasm prints omit these
    /// predicates.
    Packed,
}

impl Convention {
    pub(super) fn from_inst(inst: &Inst, isa: &Isa) -> Self {
        let mnemonic = || inst.opcode.map_or("", |id| &isa.form(id).mnemonic);
        match inst.flow {
            Flow::Call => Self::Call,
            Flow::Exit if mnemonic() == "RET" => Self::Return,
            Flow::Next if matches!(mnemonic(), "P2R" | "R2P") => Self::Packed,
            _ => Self::None,
        }
    }
}

/// True if a called function preserves the register (callee-saved).
///
/// The callee-saved registers are R1, R2, R16 to R31, from R32 on the upper four of every eight general
/// registers, and all uniform registers except UR4 to UR35. Source: the life ranges that nvdisasm 13.5 prints
/// at `CALL` and `RET` for `sm_75` to `sm_120`.
pub(super) const fn is_kept(register: Register) -> bool {
    match register.file {
        RegisterFile::General => match register.index {
            0 | 3..=15 => false,
            1 | 2 | 16..=31 => true,
            index => index % 8 >= 4,
        },
        RegisterFile::Uniform => !matches!(register.index, 4..=35),
        RegisterFile::Predicate | RegisterFile::UniformPredicate | RegisterFile::ConditionCode => false,
        // A function saves and restores the convergence barriers that it uses (`BMOV`). An assembler assigns named
        // registers.
        RegisterFile::Barrier | RegisterFile::Named => true,
    }
}

/// Registers that a call reads although it does not name them. Source: as for [`is_kept`].
pub(super) const READ_BY_CALL: [Register; 2] =
    [Register { file: RegisterFile::General, index: 0 }, STACK_POINTER];

/// Returns the instructions that affect registers without naming them, each with its index and effect.
pub(super) fn conventions(program: &Program, isa: &Isa) -> impl Iterator<Item = (u32, Convention)> {
    let instructions = program.instructions.iter().zip(0..);
    instructions
        .map(|(inst, at)| (at, Convention::from_inst(inst, isa)))
        .filter(|&(_, what)| what != Convention::None)
}
