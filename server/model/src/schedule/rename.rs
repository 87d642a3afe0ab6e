//! Other registers for values that meet in one bank.
//!
//! An instruction that reads several registers of one bank takes longer. A value that lives and dies within a block, in
//! one register, can as well stand in another that nothing uses meanwhile. Source of the banks: Jia et al. and Huerta et
//! al. (two by parity since Volta, of which the 16-lane pipes up to GA100 can read two registers without loss), maxas (four
//! up to Pascal), measured on an H100 (one a cycle).

use crate::dataflow::{Definitions, Liveness};
use crate::{Access, Program, Register, RegisterFile};
use machine::Flow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A value that is to stand in another register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    pub from: Register,
    pub to: Register,
    /// The instructions that name it, ascending, with the index of each operand that does.
    pub places: Vec<(u32, u8)>,
    /// Reads of a bank beyond what it gives in a cycle, that no longer happen.
    pub saved: u32,
}

/// Renamings that lessen bank conflicts, each valid together with those before it.
///
/// None in a kernel that calls functions or is one, nor of registers that an operand names as one of several. No register
/// is used that the kernel does not use already. Up to the codes: they are computed behind it.
pub fn renamings(program: &Program) -> Vec<Renaming> {
    let is_alone = program.instructions.iter().all(|inst| inst.flow != Flow::Call)
        && (0..program.instructions.len() as u32).all(|inst| super::flow::mnemonic(program, inst) != "RET");
    let general = program.accesses.iter().filter(|access| access.register.file == RegisterFile::General);
    let Some(last) = general.map(|access| access.register.index).max().filter(|_| is_alone) else {
        return Vec::new();
    };
    let mut bench = Bench {
        program,
        banks: Banks::of(program.arch.sm),
        definitions: Definitions::of(program, &program.arch.isa),
        liveness: Liveness::of(program, &program.arch.isa),
        last,
        changed: BTreeMap::new(),
        taken: Vec::new(),
    };
    let mut found = Vec::new();
    for inst in 0..program.instructions.len() as u32 {
        if bench.conflicts(inst, None) > 0 {
            found.extend(bench.best(inst));
        }
    }
    found
}

#[derive(Debug, Clone, Copy)]
struct Banks {
    count: u16,
    /// Registers that one gives without loss.
    free: u32,
}

impl Banks {
    /// Source: as of this file.
    const fn of(sm: u16) -> Self {
        match sm {
            0..70 => Self { count: 4, free: 1 },
            70..=80 => Self { count: 2, free: 2 },
            _ => Self { count: 2, free: 1 },
        }
    }
}

/// The first index beyond those that any kernel names; in bank 0 whatever their number.
const NOWHERE: u16 = 1 << 12;

struct Bench<'a> {
    program: &'a Program,
    banks: Banks,
    definitions: Definitions,
    liveness: Liveness,
    /// The highest register that the kernel names.
    last: u16,
    /// What operands name by now: by instruction and operand.
    changed: BTreeMap<(u32, u8), Register>,
    /// Registers that renamed values left or took, with where.
    taken: Vec<(Register, Range<u32>)>,
}

impl Bench<'_> {
    /// Reads beyond what the banks give, with a register in another's place if wanted.
    fn conflicts(&self, inst: u32, other: Option<(Register, Register)>) -> u32 {
        let own = &self.program.instructions[inst as usize];
        let is_simple = own.class.is_some_and(|class| self.program.arch.class(class).latency.is_fixed());
        if !is_simple || own.memory.is_some() {
            return 0;
        }
        let mut registers: Vec<u16> = Vec::new();
        for access in self.program.reads(own) {
            let register = self.named(inst, *access);
            let register = other.filter(|(from, _)| *from == register).map_or(register, |(_, to)| to);
            if register.file == RegisterFile::General && !registers.contains(&register.index) {
                registers.push(register.index);
            }
        }
        let in_bank =
            |bank| registers.iter().filter(|index| **index % self.banks.count == bank).count() as u32;
        (0..self.banks.count).map(|bank| in_bank(bank).saturating_sub(self.banks.free)).sum()
    }

    fn named(&self, inst: u32, access: Access) -> Register {
        let changed = access.operand.and_then(|operand| self.changed.get(&(inst, operand)));
        changed.copied().unwrap_or(access.register)
    }

    /// Renames the one of an instruction's sources that saves most, if any does.
    fn best(&mut self, inst: u32) -> Option<Renaming> {
        let reads = self.program.reads(&self.program.instructions[inst as usize]);
        let sources = reads.iter().filter(|access| access.register.file == RegisterFile::General);
        let best = sources
            .filter_map(|access| self.renaming(inst, access.register))
            .max_by_key(|(renaming, _)| renaming.saved)?;
        let (renaming, range) = best;
        for &place in &renaming.places {
            self.changed.insert(place, renaming.to);
        }
        self.taken.push((renaming.from, range.clone()));
        self.taken.push((renaming.to, range));
        Some(renaming)
    }

    fn renaming(&self, inst: u32, from: Register) -> Option<(Renaming, Range<u32>)> {
        let block = self.program.instructions[inst as usize].block as usize;
        let within = self.program.blocks[block].instructions.clone();
        if self.definitions.reaching(self.program, inst, from).from_entry {
            return None;
        }
        let web = self.definitions.web(self.program, inst, from, false);
        let (&first, begin) = web.first_key_value()?;
        let (&last, _) = web.last_key_value()?;
        // From its one write to its last read, in text order, within the block.
        let starts = begin.writes && !begin.reads;
        let is_short = starts && within.contains(&first) && within.contains(&last);
        let leaves = self.live_behind(last, from, &within);
        if !is_short || leaves || self.is_taken(from, first..last + 1) {
            return None;
        }
        let places = web.keys().map(|&at| self.places(at, from)).collect::<Option<Vec<_>>>()?.concat();
        let live = self.liveness.live(self.program, first as usize);
        let free = |to: &Register| {
            !live.contains(to)
                && !self.is_taken(*to, first..last + 1)
                && (first..=last).all(|at| !self.touches(at, *to))
        };
        let saved = |to: Register| {
            let change = |at: &u32| {
                i64::from(self.conflicts(*at, None)) - i64::from(self.conflicts(*at, Some((from, to))))
            };
            web.keys().map(change).sum::<i64>()
        };
        // A free register meets no other name of these instructions: what it saves is a matter of its bank alone.
        let register = |index| Register { file: RegisterFile::General, index };
        let mut banks: Vec<(i64, u16)> =
            (0..self.banks.count).map(|bank| (saved(register(NOWHERE + bank)), bank)).collect();
        banks.retain(|&(saved, _)| saved > 0);
        let most = |index: u16| {
            banks.iter().find(|(_, bank)| index % self.banks.count == *bank).map(|(saved, _)| *saved)
        };
        let mut all: Vec<(i64, Register)> =
            (0..=self.last).filter_map(|index| Some((most(index)?, register(index)))).collect();
        all.sort_by_key(|&(saved, to)| (std::cmp::Reverse(saved), to));
        let (saved, to) = all.into_iter().find(|(_, to)| free(to))?;
        let saved = u32::try_from(saved).ok()?;
        Some((Renaming { from, to, places, saved }, first..last + 1))
    }

    /// Whether the value is wanted behind an instruction of the block.
    fn live_behind(&self, last: u32, register: Register, block: &Range<u32>) -> bool {
        let rest = last + 1..block.end;
        match rest.clone().find(|&at| self.touches(at, register)) {
            Some(next) => {
                let inst = &self.program.instructions[next as usize];
                self.program.reads(inst).iter().any(|access| access.register == register)
                    || inst.guard.is_some()
            }
            // The last instruction's registers in use are those live behind it and its own.
            None => {
                self.liveness.live(self.program, block.end as usize - 1).contains(&register)
                    && last + 1 < block.end
                    || last + 1 == block.end
            }
        }
    }

    fn touches(&self, inst: u32, register: Register) -> bool {
        let own = &self.program.instructions[inst as usize];
        let accesses = self.program.reads(own).iter().chain(self.program.writes(own));
        accesses.into_iter().any(|access| access.register == register)
    }

    fn is_taken(&self, register: Register, range: Range<u32>) -> bool {
        let overlaps = |other: &Range<u32>| other.start < range.end && range.start < other.end;
        self.taken.iter().any(|(other, place)| *other == register && overlaps(place))
    }

    /// The operands of an instruction that name the register, each alone; `None` where it is named as one of several.
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
