//! Renames registers of values that conflict in one bank.
//!
//! An instruction that reads several registers of one bank takes longer. A value whose live range is within a
//! block can move to another register that is unused in this range. Source of the banks: Jia et al. and
//! Huerta et al. (two by parity since Volta; the 16-lane pipes up to GA100 can read two registers of a bank
//! without loss), maxas (four up to Pascal), measured on an H100 (one per cycle).

use super::flow::mnemonic;
use super::products::is_product;
use crate::dataflow::Liveness;
use crate::{Access, Program, Register, RegisterFile};
use machine::{Flow, Hardware};
use std::collections::BTreeMap;
use std::ops::Range;

/// A value that moves to another register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    pub from: Register,
    pub to: Register,
    /// Instructions that name the value, in ascending order, each with the index of an operand that names it.
    pub places: Vec<(u32, u8)>,
    /// Number of avoided reads beyond the capacity of a bank.
    pub saved: u32,
}

/// Returns renamings that reduce bank conflicts. Each renaming is valid together with all preceding
/// renamings.
///
/// Empty for a function, and for a kernel that calls functions, has names for registers, or starts products that
/// read registers after their issue. Registers of a vector operand are not renamed, and neither are values for
/// which `may` returns false. The new registers are among those that the kernel already uses. Control codes are
/// ignored, because they are computed after the renaming.
pub fn renamings(program: &Program, may: impl Fn(&Renaming) -> bool) -> Vec<Renaming> {
    let is_alone = program.names.is_empty()
        && program.instructions.iter().all(|inst| inst.flow != Flow::Call)
        && (0..program.instructions.len() as u32)
            .all(|inst| mnemonic(program, inst) != "RET" && !is_product(program, inst));
    let general = program.accesses.iter().filter(|access| access.register.file == RegisterFile::General);
    let Some(last) = general.map(|access| access.register.index).max().filter(|_| is_alone) else {
        return Vec::new();
    };
    let mut bench = RenamingState {
        program,
        banks: Banks::for_sm(program.arch.sm),
        liveness: Liveness::compute(program, &program.arch.isa),
        naming: naming(program, last),
        changed: BTreeMap::new(),
        taken: vec![Vec::new(); usize::from(last) + 1],
    };
    let mut found = Vec::new();
    for inst in 0..program.instructions.len() as u32 {
        if bench.conflicts(inst, None) > 0 {
            found.extend(bench.best(inst, &may));
        }
    }
    found
}

/// Returns the instructions that name each general register, in ascending order.
fn naming(program: &Program, last: u16) -> Vec<Vec<u32>> {
    let mut naming = vec![Vec::new(); usize::from(last) + 1];
    for (at, inst) in (0..).zip(&program.instructions) {
        for access in program.reads(inst).iter().chain(program.writes(inst)) {
            if access.register.file == RegisterFile::General {
                let own: &mut Vec<u32> = &mut naming[usize::from(access.register.index)];
                if own.last() != Some(&at) {
                    own.push(at);
                }
            }
        }
    }
    naming
}

/// The banks of a processing block's register file. The bank of a register is its index modulo `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banks {
    pub count: u16,
    /// Number of registers of one bank that an instruction reads without loss.
    pub at_once: u16,
}

impl Banks {
    /// The largest number of banks of any generation.
    const MAX: usize = 4; // limit: the most banks of any generation

    /// Returns the banks of an architecture.
    pub fn for_sm(sm: u16) -> Self {
        let known = Hardware::builtin().register_banks(sm);
        Self { count: known.count.value as u16, at_once: known.at_once.value as u16 }
    }
}

/// The register in which the vendor's compiler keeps the stack pointer.
const STACK_POINTER: u16 = 1; // Source: the CUDA ABI

/// First register index beyond the indices that any kernel names. The index is in bank 0 for any number of
/// banks.
const NOWHERE: u16 = 1 << 12; // limit: no kernel names this register

struct RenamingState<'a> {
    program: &'a Program,
    banks: Banks,
    liveness: Liveness,
    /// Instructions that name each general register, in ascending order.
    naming: Vec<Vec<u32>>,
    /// Registers that operands name after the renamings so far, by instruction and operand.
    changed: BTreeMap<(u32, u8), Register>,
    /// For each general register, the ranges of instructions in which a renamed value has left it or moved to it.
    taken: Vec<Vec<Range<u32>>>,
}

impl RenamingState<'_> {
    /// Counts the reads beyond the capacity of the banks, with one register replaced by another if `other` is given.
    fn conflicts(&self, inst: u32, other: Option<(Register, Register)>) -> u32 {
        let own = &self.program.instructions[inst as usize];
        let is_simple = own.class.is_some_and(|class| self.program.arch.class(class).latency.is_fixed());
        if !is_simple || own.memory.is_some() {
            return 0;
        }
        let reads = self.program.reads(own);
        let register = |access: &Access| {
            let register = self.named(inst, *access);
            other.filter(|(from, _)| *from == register).map_or(register, |(_, to)| to)
        };
        let mut in_bank = [0_u32; Banks::MAX];
        for (at, access) in reads.iter().enumerate() {
            let own = register(access);
            let is_new = reads[..at].iter().all(|before| register(before) != own);
            if own.file == RegisterFile::General && is_new {
                in_bank[usize::from(own.index % self.banks.count)] += 1;
            }
        }
        in_bank.iter().map(|reads| reads.saturating_sub(u32::from(self.banks.at_once))).sum()
    }

    fn named(&self, inst: u32, access: Access) -> Register {
        let changed = access.operand.and_then(|operand| self.changed.get(&(inst, operand)));
        changed.copied().unwrap_or(access.register)
    }

    /// Renames the source register that gives the largest saving in an instruction; `None` if no source can be renamed.
    fn best(&mut self, inst: u32, may: impl Fn(&Renaming) -> bool) -> Option<Renaming> {
        let reads = self.program.reads(&self.program.instructions[inst as usize]);
        let sources = reads.iter().filter(|access| access.register.file == RegisterFile::General);
        let best = sources
            .filter_map(|access| self.renaming(inst, access.register))
            .filter(|(renaming, _)| may(renaming))
            .max_by_key(|(renaming, _)| renaming.saved)?;
        let (renaming, range) = best;
        for &place in &renaming.places {
            self.changed.insert(place, renaming.to);
        }
        self.taken[usize::from(renaming.from.index)].push(range.clone());
        self.taken[usize::from(renaming.to.index)].push(range);
        Some(renaming)
    }

    /// Returns the renaming of a value that lives within a block, from its only unconditional write to its last read.
    fn renaming(&self, inst: u32, from: Register) -> Option<(Renaming, Range<u32>)> {
        let block = self.program.instructions[inst as usize].block as usize;
        let value = self.value(&self.program.blocks[block].instructions, inst, from)?;
        let (first, last) = (*value.first()?, *value.last()?);
        let is_begun = !self.reads(first, from);
        if !is_begun
            || from.index == STACK_POINTER
            || self.is_live_after(last, from)
            || self.is_taken(from, first..last + 1)
        {
            return None;
        }
        let places = value.iter().map(|&at| self.places(at, from)).collect::<Option<Vec<_>>>()?.concat();
        let free = |to: &Register| {
            to.index != STACK_POINTER
                && !self.is_taken(*to, first..last + 1)
                && self.next_naming(first, *to).is_none_or(|next| next > last)
                && !self.is_live_after(last, *to)
        };
        let saved = |to: Register| {
            let change = |at: &u32| {
                i64::from(self.conflicts(*at, None)) - i64::from(self.conflicts(*at, Some((from, to))))
            };
            value.iter().map(change).sum::<i64>()
        };
        // These instructions name no free register, so its saving depends on its bank alone.
        let register = |index| Register { file: RegisterFile::General, index };
        let mut banks: Vec<(i64, u16)> =
            (0..self.banks.count).map(|bank| (saved(register(NOWHERE + bank)), bank)).collect();
        banks.retain(|&(saved, _)| saved > 0);
        let most = |index: u16| {
            banks.iter().find(|(_, bank)| index % self.banks.count == *bank).map(|(saved, _)| *saved)
        };
        let mut all: Vec<(i64, Register)> =
            (0..self.naming.len() as u16).filter_map(|index| Some((most(index)?, register(index)))).collect();
        all.sort_by_key(|&(saved, to)| (std::cmp::Reverse(saved), to));
        let (saved, to) = all.into_iter().find(|(_, to)| free(to))?;
        let saved = u32::try_from(saved).ok()?;
        Some((Renaming { from, to, places, saved }, first..last + 1))
    }

    /// Returns the instructions of a block that name the value read by an instruction. The list starts with
    /// the write that defines the value. A replacing write is included if it also reads the value. `None` if
    /// the value comes from another block.
    fn value(&self, block: &Range<u32>, inst: u32, register: Register) -> Option<&[u32]> {
        let naming = &self.naming[usize::from(register.index)];
        let own = naming.binary_search(&inst).ok()?;
        let first = naming[..own].iter().rposition(|&at| self.replaces(at, register))?;
        let end = naming[own..].iter().position(|&at| !block.contains(&at) || self.replaces(at, register));
        let end = end.map_or(naming.len(), |end| own + end);
        let reads_last = naming.get(end).is_some_and(|&at| block.contains(&at) && self.reads(at, register));
        block.contains(&naming[first]).then(|| &naming[first..end + usize::from(reads_last)])
    }

    fn reads(&self, inst: u32, register: Register) -> bool {
        let reads = self.program.reads(&self.program.instructions[inst as usize]);
        reads.iter().any(|access| access.register == register)
    }

    /// True if the instruction writes the register unconditionally.
    fn replaces(&self, inst: u32, register: Register) -> bool {
        let inst = &self.program.instructions[inst as usize];
        inst.guard.is_none() && self.program.writes(inst).iter().any(|access| access.register == register)
    }

    /// True if the register's value is read after an instruction, or if a later guarded write may leave the
    /// value in place.
    fn is_live_after(&self, inst: u32, register: Register) -> bool {
        let block = self.program.instructions[inst as usize].block as usize;
        let next = self.next_naming(inst + 1, register);
        match next.filter(|next| self.program.blocks[block].instructions.contains(next)) {
            Some(next) => self.reads(next, register) || !self.replaces(next, register),
            None => self.liveness.is_live_out(block, register),
        }
    }

    /// Returns the first instruction at or after `from` that names the register.
    fn next_naming(&self, from: u32, register: Register) -> Option<u32> {
        let naming = &self.naming[usize::from(register.index)];
        naming.get(naming.partition_point(|at| *at < from)).copied()
    }

    fn is_taken(&self, register: Register, range: Range<u32>) -> bool {
        let overlaps = |other: &Range<u32>| other.start < range.end && range.start < other.end;
        self.taken[usize::from(register.index)].iter().any(overlaps)
    }

    /// Returns the operands that name only this register; `None` if an operand also names other registers, or if the
    /// access is implicit.
    fn places(&self, inst: u32, register: Register) -> Option<Vec<(u32, u8)>> {
        let own = &self.program.instructions[inst as usize];
        let lists = [self.program.reads(own), self.program.writes(own)];
        let mut places = Vec::new();
        for list in lists {
            for access in list.iter().filter(|access| access.register == register) {
                let operand = access.operand?;
                if list.iter().filter(|other| other.operand == Some(operand)).count() > 1 {
                    return None;
                }
                places.push((inst, operand));
            }
        }
        places.sort_unstable();
        places.dedup();
        Some(places)
    }
}
