//! Decoded instructions: memory accesses, guards, control flow.

use super::bound::Bound;
use machine::{ClassId, Flow, MemorySpace, OpcodeId};
use std::fmt;
use std::ops::Range;
use syntax::sass::{Control, Token, TokenKind};

/// A wait until at most a given number of operations of a scoreboard are pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedWait {
    pub inst: u32,
    /// Index of the scoreboard, 0 to 5.
    pub scoreboard: u8,
    /// Number of operations that may still be pending.
    pub at_most: u32,
    /// Mask of the scoreboards in the braces of the operand list, which must have no pending operation.
    pub also: u8,
}

/// One decoded instruction.
#[derive(Debug, Clone, Copy)]
pub struct Inst {
    /// Line of the instruction in the chunk.
    pub line: u32,
    /// Address as printed. If no address is printed, the index of the instruction times the instruction size in
    /// bytes.
    pub address: u32,
    /// `None` if the architecture has no such opcode.
    pub opcode: Option<OpcodeId>,
    /// Class of the opcode; `None` for an unknown opcode.
    pub class: Option<ClassId>,
    pub control: Option<Control>,
    /// True if the instruction issues together with the next instruction.
    pub dual: bool,
    pub guard: Option<Guard>,
    pub flow: Flow,
    /// The instruction that a branch or call leads to; `None` if the text does not name it.
    pub target: Option<u32>,
    pub memory: Option<Memory>,
    /// True for a comparison whose two result predicates are never both true: the second result is for the opposite
    /// relation, and `.AND` combines both with the same predicate.
    pub are_exclusive: bool,
    /// Bound of a comparison with a number; `None` for other instructions.
    pub bound: Option<Bound>,
    /// Index of the first source operand, which follows the last destination. `RZ` and `PT` count as destinations
    /// where the opcode has one.
    pub first_source: u8,
    pub(crate) reads: (u32, u16),
    pub(crate) writes: (u32, u16),
    /// Index of the instruction's block.
    pub block: u32,
}

impl Inst {
    /// Returns the stall count of the control code; `None` if there is no control code, or if the code has no stall
    /// count.
    pub fn stall(&self) -> Option<u8> {
        self.control?.stall
    }
}

/// The guard of an instruction, such as `@!P0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    pub predicate: Register,
    pub negated: bool,
}

/// Memory space, width and direction of an instruction's memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    pub space: MemorySpace,
    pub bytes_per_lane: u8,
    pub loads: bool,
    pub stores: bool,
}

/// A register that stores a value, unlike `RZ` and `PT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: RegisterFile,
    pub index: u16,
}

/// Prints the register's name as in a listing. A [`RegisterFile::Named`] register is printed as `name #` and its
/// number.
impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.file {
            RegisterFile::General => "R",
            RegisterFile::Uniform => "UR",
            RegisterFile::Predicate => "P",
            RegisterFile::UniformPredicate => "UP",
            RegisterFile::ConditionCode => return f.write_str("CC"),
            RegisterFile::Barrier => "B",
            RegisterFile::Named => "name #",
        };
        write!(f, "{prefix}{}", self.index)
    }
}

/// Register file that a register's index refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterFile {
    General,
    Uniform,
    Predicate,
    UniformPredicate,
    /// The condition code `CC` (up to Pascal).
    ConditionCode,
    /// `B0`: convergence barriers.
    Barrier,
    /// A name that an assembler maps to a register (`tid`, `cx00y00`), numbered within the kernel.
    Named,
}

/// A register that an instruction reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub register: Register,
    /// Index of the operand in text order; `None` for the guard and for implicit accesses.
    pub operand: Option<u8>,
}

/// A basic block: consecutive instructions, entered only at the first and left only at the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub instructions: Range<u32>,
}

impl Register {
    /// The condition code, `CC`.
    pub const CONDITION_CODE: Self = Self { file: RegisterFile::ConditionCode, index: 0 };

    /// Returns the register that a token names by its number. `None` for zero registers such as `RZ` and
    /// `PT`, and for other tokens.
    pub fn named_by(token: &Token) -> Option<Self> {
        let file = match token.kind {
            _ if token.is_zero_register() => return None,
            TokenKind::Register => RegisterFile::General,
            TokenKind::UniformRegister => RegisterFile::Uniform,
            TokenKind::Predicate => RegisterFile::Predicate,
            TokenKind::UniformPredicate => RegisterFile::UniformPredicate,
            TokenKind::Barrier => RegisterFile::Barrier,
            _ => return None,
        };
        Some(Self { file, index: token.value.try_into().unwrap_or(u16::MAX) })
    }

    /// Returns the register with the next index; `None` if the index overflows.
    pub(crate) fn next(self) -> Option<Self> {
        Some(Self { index: self.index.checked_add(1)?, ..self })
    }
}

impl RegisterFile {
    /// All register files, in the order of their discriminants.
    pub(crate) const ALL: [Self; 7] = [
        Self::General,
        Self::Uniform,
        Self::Predicate,
        Self::UniformPredicate,
        Self::ConditionCode,
        Self::Barrier,
        Self::Named,
    ];

    /// True for files of predicates, which guard instructions.
    pub(crate) const fn is_predicate(self) -> bool {
        matches!(self, Self::Predicate | Self::UniformPredicate)
    }
}
