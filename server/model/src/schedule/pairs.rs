//! Adjacent instructions that may issue together (dual issue), on generations with more dispatch units than schedulers.
//!
//! Sources: on Kepler the rule of nouveau's compiler and the pattern 1-2-2-1 of Zhou et al. (ICS'17, section
//! 4.1); on Maxwell and Pascal the pairs that maxas and compilers form.

use super::flow::{issues_pairs, mnemonic};
use super::register_accesses::RegisterAccesses;
use super::text::Text;
use crate::{MemorySpace, Program};
use machine::{Arch, Flow, FunctionUnit, Hardware};
use syntax::sass::{Encoding, SmVersion, TokenKind};

pub(super) fn encoding(arch: &Arch) -> Encoding {
    SmVersion::new(arch.sm).encoding()
}

/// Returns, for each instruction, true if it may issue together with the next instruction. Pairs do not
/// overlap.
pub(super) fn pairs(program: &Program, text: Text, touches: &RegisterAccesses) -> Vec<bool> {
    let count = program.instructions.len();
    let mut firsts = vec![false; count];
    let resources = &program.arch.resources;
    let is_kepler = encoding(&program.arch) == Encoding::Kepler;
    if resources.dispatch_units.value <= resources.schedulers.value || !issues_pairs(program.arch.sm) {
        return firsts;
    }
    let site = Site { program, text, touches };
    let max_in_a_row = Hardware::builtin().same_unit_pairs.value;
    let between = Hardware::builtin().singles_between_pairs.value;
    for block in &program.blocks {
        let mut at = block.instructions.start;
        let mut row = 0;
        let mut singles = 0;
        while at + 1 < block.instructions.end {
            let may = if is_kepler {
                let is_full = row >= max_in_a_row && singles < between && site.is_same_unit(at);
                !is_full && site.shares_control_word(at) && site.kepler(at)
            } else {
                site.maxwell(at)
            };
            let may = may && site.is_independent(at);
            firsts[at as usize] = may;
            if may {
                row = if singles >= between { 1 } else { row + 1 };
                singles = 0;
            } else {
                singles += 1;
            }
            at += if may { 2 } else { 1 };
        }
    }
    firsts
}

struct Site<'a> {
    program: &'a Program,
    text: Text<'a>,
    touches: &'a RegisterAccesses,
}

impl Site<'_> {
    fn unit(&self, inst: u32) -> Option<FunctionUnit> {
        let class = self.program.instructions[inst as usize].class;
        class.and_then(|class| self.program.arch.unit_of(class)).map(|unit| unit.kind)
    }

    fn is_same_unit(&self, first: u32) -> bool {
        self.unit(first) == self.unit(first + 1)
    }

    /// True if the second instruction neither reads nor writes a register that the first writes, and writes
    /// no register that the first reads.
    fn is_independent(&self, first: u32) -> bool {
        let second = first + 1;
        let written = self.touches.writes(first);
        let touched = |register: &u32| {
            self.touches.reads(second).contains(register) || self.touches.writes(second).contains(register)
        };
        !written.iter().any(touched)
            && !self
                .touches
                .writes(second)
                .iter()
                .any(|register| self.touches.reads(first).contains(register))
    }

    fn reads_constant(&self, inst: u32) -> bool {
        self.text.tokens(inst).any(|(token, _)| token.kind == TokenKind::ConstantBank)
    }

    /// True for a simple operation followed by a memory or special function operation.
    fn maxwell(&self, first: u32) -> bool {
        let second = first + 1;
        let own = &self.program.instructions[first as usize];
        let is_fixed = own.class.is_some_and(|class| self.program.arch.class(class).latency.is_fixed())
            && own.flow == Flow::Next;
        let packs = |inst| matches!(mnemonic(self.program, inst), "P2R" | "R2P");
        is_fixed
            && self.unit(first) == Some(FunctionUnit::Sp)
            && matches!(self.unit(second), Some(FunctionUnit::Ldst | FunctionUnit::Sfu))
            && !(packs(first) || packs(second))
            && !(self.reads_constant(first) && self.reads_constant(second))
    }

    fn shares_control_word(&self, first: u32) -> bool {
        !Encoding::Kepler.ends_control_group(self.program.instructions[first as usize].address)
    }

    fn kepler(&self, first: u32) -> bool {
        let second = first + 1;
        let inst = |at: u32| &self.program.instructions[at as usize];
        let names = [mnemonic(self.program, first), mnemonic(self.program, second)];
        let is_move = |name: &str| matches!(name, "MOV" | "MOV32I");
        let is_wide = |at: u32| {
            self.program.writes(inst(at)).len() > 1 || inst(at).memory.is_some_and(|m| m.bytes_per_lane > 4)
        };
        let is_plain = |at: u32| {
            let own = inst(at);
            own.class.is_some()
                && own.flow == Flow::Next
                && !matches!(own.memory, Some(memory) if matches!(memory.space, MemorySpace::Texture | MemorySpace::Surface))
                && !matches!(
                    mnemonic(self.program, at),
                    "TEXDEPBAR" | "BAR" | "SSY" | "PBK" | "MEMBAR" | "NOP"
                )
        };
        if !is_plain(first) || !is_plain(second) || is_wide(first) || is_wide(second) {
            return false;
        }
        if names.iter().any(|name| is_move(name)) {
            return true;
        }
        if let (Some(a), Some(b)) = (inst(first).memory, inst(second).memory) {
            return a.space != b.space && a.loads == b.loads;
        }
        if inst(first).class != inst(second).class {
            return true;
        }
        let is_single =
            |name: &str| matches!(name, "FFMA" | "FADD" | "FMUL" | "FFMA32I" | "FADD32I" | "FMUL32I");
        let is_add = |name: &str| matches!(name, "IADD" | "IADD32I");
        let is_least = |name: &str| matches!(name, "FMNMX" | "IMNMX");
        names.iter().all(|name| is_least(name)) || names.iter().any(|name| is_single(name) || is_add(name))
    }
}
