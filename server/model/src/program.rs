//! A decoded kernel: each instruction's reads, writes, memory access and jump target, and the basic blocks.

mod accumulator;
mod blocks;
pub(crate) mod bound;
mod decode;
mod descriptor;
mod edit;
mod forms;
mod instruction;
mod operand_kind;
mod operands;
mod targets;
#[cfg(test)]
mod tests;
mod texture;
mod word_mask;

pub use accumulator::{Scale, scale};
pub use bound::Bound;
pub use forms::registers_in_a_row;
pub use instruction::{Access, Block, CountedWait, Guard, Inst, Memory, Register, RegisterFile};
pub use operand_kind::operand_kind;
pub(crate) use operands::PREDICATES;
pub use operands::{operand_roles, registers_in_brackets};
pub use word_mask::WordMask;

use crate::flow::FlowGraph;
use machine::{Arch, Flow};
use std::borrow::Cow;
use std::sync::Arc;
use syntax::sass::{Chunk, Encoding, SmVersion};

/// A decoded kernel. `instructions[i]` is `chunk.instructions()[i]`.
#[derive(Debug, Clone)]
pub struct Program {
    pub arch: Arc<Arch>,
    pub instructions: Vec<Inst>,
    /// Registers that instructions read and write; each instruction's accesses are contiguous.
    pub accesses: Vec<Access>,
    /// Basic blocks in text order; together they contain every instruction.
    pub blocks: Vec<Block>,
    /// The blocks that may follow each block, in ascending order.
    pub flow: FlowGraph,
    /// The names that an assembler maps to registers, by register index in [`RegisterFile::Named`].
    pub names: Vec<Box<str>>,
    /// Number of registers from 0 up to the highest that a mapping assigns to a name; 0 if there is no mapping.
    pub mapped: u16,
    /// Instructions that name a target without jumping there (`BSSY`, `SSY`, `PBK`), each with its target, in
    /// text order.
    pub meetings: Vec<(u32, u32)>,
    /// Counted waits such as `DEPBAR.LE SB0, 0x1`, in text order.
    pub counted_waits: Vec<CountedWait>,
}

impl Program {
    /// Returns a register's name as written in the code: the name that an assembler maps to it, if any.
    pub fn register_name(&self, register: Register) -> String {
        let name = self.names.get(usize::from(register.index));
        match name.filter(|_| register.file == RegisterFile::Named) {
            Some(name) => name.to_string(),
            None => register.to_string(),
        }
    }

    /// Decodes a kernel for an architecture. Instructions with unknown opcodes are kept, with `opcode: None`.
    ///
    /// Accepts any text. Time is linear in the length of the text. Omits registers that an opcode uses
    /// without naming them (a descriptor's second half in `gdesc[UR4]`). If an assembler's name denotes a vector
    /// of registers, only the first register is recorded.
    pub fn decode(chunk: &Chunk, arch: &Arc<Arch>) -> Self {
        decode::decode(chunk, arch)
    }

    /// Returns the encoding of the architecture's instructions.
    pub fn encoding(&self) -> Encoding {
        SmVersion::new(self.arch.sm).encoding()
    }

    /// Returns the last instruction of a block.
    pub fn last_of(&self, block: u32) -> &Inst {
        &self.instructions[self.blocks[block as usize].instructions.end as usize - 1]
    }

    /// Returns the flow graph with an additional edge from each call to the function that it names.
    pub(crate) fn flow_with_calls(&self) -> Cow<'_, FlowGraph> {
        let called = |block| {
            let last = self.last_of(block);
            let target = last.target.filter(|_| last.flow == Flow::Call)?;
            Some(self.instructions[target as usize].block)
        };
        if self.flow.blocks().all(|block| called(block).is_none()) {
            return Cow::Borrowed(&self.flow);
        }
        let following = |block| self.flow.successors(block).iter().copied().chain(called(block));
        Cow::Owned(FlowGraph::new(self.flow.blocks().map(|block| following(block).collect::<Vec<_>>())))
    }

    /// Returns the registers that an instruction reads, including its guard.
    pub fn reads(&self, inst: &Inst) -> &[Access] {
        &self.accesses[inst.reads.0 as usize..][..inst.reads.1 as usize]
    }

    /// Returns the counted wait (`DEPBAR.LE`) at an instruction; `None` for other instructions.
    pub fn counted_wait(&self, inst: u32) -> Option<CountedWait> {
        let at = self.counted_waits.binary_search_by_key(&inst, |wait| wait.inst).ok()?;
        Some(self.counted_waits[at])
    }

    /// Returns the registers that an instruction writes.
    pub fn writes(&self, inst: &Inst) -> &[Access] {
        &self.accesses[inst.writes.0 as usize..][..inst.writes.1 as usize]
    }

    /// True if instruction `inst` writes a register that its operand `operand` names.
    pub fn is_result(&self, inst: u32, operand: usize) -> bool {
        let writes = self.writes(&self.instructions[inst as usize]);
        writes.iter().any(|access| access.operand.map(usize::from) == Some(operand))
    }
}
