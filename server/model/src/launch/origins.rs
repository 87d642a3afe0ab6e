//! Origins of the values that determine a warp's control flow and its addresses: words of constant bank 0, or
//! memory.

use crate::address::operand::{Source, operand};
use crate::dataflow::Definitions;
use crate::{Access, Program, Register};
use machine::MemorySpace;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use syntax::sass::Chunk;

/// Origins of a set of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// Byte offsets of words in constant bank 0, each a multiple of 4.
    pub words: BTreeSet<u32>,
    /// True if some value was loaded from memory other than a constant bank.
    pub is_of_memory: bool,
    /// True if some value depends on the position of the block in the grid.
    pub is_of_block: bool,
}

/// Maximum number of register uses that a backward slice follows. A longer slice is incomplete.
const MAX_USES: usize = 20_000; // limit: time

impl Origins {
    /// Returns the origins of the values on which these instructions depend: their guards, the addresses of
    /// memory accesses, and all operands of other instructions. `definitions` link values through registers and
    /// must be computed from `program`.
    pub fn trace(
        chunk: &Chunk,
        program: &Program,
        definitions: &Definitions,
        insts: impl IntoIterator<Item = u32>,
    ) -> Self {
        let mut slice = Slice { chunk, program, found: Self::default() };
        let mut seen: FxHashSet<(u32, Register)> = FxHashSet::default();
        let mut open: Vec<(u32, Register)> = Vec::new();
        for inst in insts.into_iter().filter(|&inst| (inst as usize) < program.instructions.len()) {
            let reads = program.reads(&program.instructions[inst as usize]);
            open.extend(
                reads.iter().filter(|read| slice.decides(inst, **read)).map(|read| (inst, read.register)),
            );
        }
        while let Some((inst, register)) = open.pop() {
            if seen.len() >= MAX_USES {
                break;
            }
            if seen.insert((inst, register)) {
                for write in definitions.reaching(program, inst, register).writes {
                    slice.follow(write, register, &mut open);
                }
            }
        }
        slice.found
    }
}

struct Slice<'a> {
    chunk: &'a Chunk,
    program: &'a Program,
    found: Origins,
}

impl Slice<'_> {
    /// True if a read determines whether the instruction executes or which address it accesses: its guard or
    /// its address operand. True for every read of an instruction that does not access memory.
    fn decides(&self, inst: u32, read: Access) -> bool {
        let Some(at) = read.operand else { return true };
        let is_access = self.program.instructions[inst as usize].memory.is_some();
        !is_access || matches!(self.source(inst, at.into()), Some(Source::Address(_)))
    }

    fn source(&self, inst: u32, at: usize) -> Option<Source<'_>> {
        let text = &self.chunk.instructions()[inst as usize];
        let tokens = self.chunk.operands(text).nth(at)?;
        Some(operand(self.chunk.line_text(text.line as usize), tokens).source)
    }

    /// Records the constants or the memory from which the instruction `write` computes `register`. Adds the registers
    /// that the instruction reads to `open`.
    fn follow(&mut self, write: u32, register: Register, open: &mut Vec<(u32, Register)>) {
        let inst = &self.program.instructions[write as usize];
        if inst.memory.is_some_and(|memory| memory.space != MemorySpace::Constant) {
            self.found.is_of_memory = true;
            return;
        }
        let text = &self.chunk.instructions()[write as usize];
        let line = self.chunk.line_text(text.line as usize);
        for tokens in self.chunk.operands(text) {
            match operand(line, tokens).source {
                Source::Constant { bank: 0, offset } => {
                    self.found.words.insert(self.word(write, register, offset));
                }
                Source::Special(name) => self.found.is_of_block |= name.starts_with("SR_CTAID"),
                _ => {}
            }
        }
        open.extend(self.program.reads(inst).iter().map(|read| (write, read.register)));
    }

    /// Returns the offset of the constant word that `register` receives. A load of several words fills
    /// consecutive registers.
    fn word(&self, write: u32, register: Register, offset: u32) -> u32 {
        let inst = &self.program.instructions[write as usize];
        let is_load = matches!(
            self.chunk.mnemonic(&self.chunk.instructions()[write as usize]),
            "LDC" | "ULDC" | "LDCU"
        );
        let written = self.program.writes(inst).iter().map(|access| access.register);
        let first = written.filter(|own| own.file == register.file).map(|own| own.index).min();
        let following = first.filter(|_| is_load).map_or(0, |first| register.index.saturating_sub(first));
        (offset & !3) + 4 * u32::from(following)
    }
}
