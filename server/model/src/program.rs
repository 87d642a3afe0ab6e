//! A kernel as instructions: what each reads, writes, touches and jumps to, and its basic blocks.

mod blocks;
pub(crate) mod bound;
mod decode;
mod descriptor;
mod edit;
mod forms;
mod operands;
mod targets;
#[cfg(test)]
mod tests;
mod texture;

pub use bound::Bound;
pub use forms::registers_in_a_row;
pub use operands::operand_roles;

use machine::{Arch, ClassId, Flow, MemorySpace, OpcodeId};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Control};

/// A decoded kernel. `instructions[i]` is `chunk.instructions()[i]`.
#[derive(Debug, Clone)]
pub struct Program {
    pub arch: Arc<Arch>,
    pub instructions: Vec<Inst>,
    /// Registers that instructions read and write; each instruction's own are a range of it.
    pub accesses: Vec<Access>,
    /// In text order; together they hold every instruction.
    pub blocks: Vec<Block>,
    /// The names that an assembler maps to registers, by the index of [`RegisterFile::Named`].
    pub names: Vec<Box<str>>,
    /// Registers up to the highest that a mapping gives to a name; 0 where nothing maps.
    pub mapped: u16,
    /// Instructions that name another without jumping there (`BSSY`, `SSY`, `PBK`), in text order, and that one.
    pub meetings: Vec<(u32, u32)>,
    /// `DEPBAR.LE SB0, 0x1`, in text order.
    pub counted_waits: Vec<CountedWait>,
}

/// Waits until few enough operations of a scoreboard are pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedWait {
    pub inst: u32,
    /// 0 to 5.
    pub scoreboard: u8,
    /// Operations that may still be pending.
    pub at_most: u32,
    /// Scoreboards of which none may: one bit each.
    pub also: u8,
}

/// One decoded instruction.
#[derive(Debug, Clone, Copy)]
pub struct Inst {
    /// Line in the chunk.
    pub line: u32,
    /// Address as printed; where the text prints none, counted from 0 in the architecture's instruction size.
    pub address: u32,
    /// `None`: the architecture has no such opcode.
    pub opcode: Option<OpcodeId>,
    /// Class of the opcode; `None` with it.
    pub class: Option<ClassId>,
    pub control: Option<Control>,
    /// Issues together with the next instruction.
    pub dual: bool,
    pub guard: Option<Guard>,
    pub flow: Flow,
    /// The instruction that it jumps to, where the text says so.
    pub target: Option<u32>,
    pub memory: Option<Memory>,
    /// Its two predicates are never both true: of a comparison and its opposite, each with a third by `.AND`.
    pub are_exclusive: bool,
    /// Bound of a comparison with a number.
    pub bound: Option<Bound>,
    /// The index of the first operand that is no result; `RZ` and `PT` may be results.
    pub first_source: u8,
    pub(crate) reads: (u32, u16),
    pub(crate) writes: (u32, u16),
    /// Index of its block.
    pub block: u32,
}

impl Inst {
    /// The stall count of its control code, where it has both.
    pub fn stall(&self) -> Option<u8> {
        self.control?.stall
    }
}

/// `@!P0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    pub predicate: Register,
    pub negated: bool,
}

/// Access of a memory instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    pub space: MemorySpace,
    pub bytes_per_lane: u8,
    pub loads: bool,
    pub stores: bool,
}

/// A register as storage: `RZ`, `PT` and the like are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: RegisterFile,
    pub index: u16,
}

/// Prints the register's name as the text writes it; one that only an assembler names is printed as its number.
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
    /// Index of the operand in text order; `None` for the guard and for what the opcode implies.
    pub operand: Option<u8>,
}

/// Instructions that run one after another: entered at the first, left at the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub instructions: Range<u32>,
    /// Blocks that may run next.
    pub successors: Vec<u32>,
}

impl Register {
    /// `CC`.
    pub const CONDITION_CODE: Self = Self { file: RegisterFile::ConditionCode, index: 0 };
}

impl Program {
    /// Decodes a kernel for that architecture. Unknown opcodes stay, with `opcode: None`.
    ///
    /// Takes any text, in time linear in its length. What it leaves out: the registers that an opcode uses without naming
    /// them (a descriptor's second half beside `gdesc[UR4]`), and vectors of an assembler's names, of which only the
    /// first is seen.
    pub fn decode(chunk: &Chunk, arch: &Arc<Arch>) -> Self {
        decode::decode(chunk, arch)
    }

    pub fn reads(&self, inst: &Inst) -> &[Access] {
        &self.accesses[inst.reads.0 as usize..][..inst.reads.1 as usize]
    }

    /// The instruction's wait for a count, if it is one.
    pub fn counted_wait(&self, inst: u32) -> Option<CountedWait> {
        let at = self.counted_waits.binary_search_by_key(&inst, |wait| wait.inst).ok()?;
        Some(self.counted_waits[at])
    }

    pub fn writes(&self, inst: &Inst) -> &[Access] {
        &self.accesses[inst.writes.0 as usize..][..inst.writes.1 as usize]
    }

    /// Whether an instruction writes a register that this operand names, by their indices.
    pub fn is_result(&self, inst: u32, operand: usize) -> bool {
        let writes = self.writes(&self.instructions[inst as usize]);
        writes.iter().any(|access| access.operand.map(usize::from) == Some(operand))
    }
}
