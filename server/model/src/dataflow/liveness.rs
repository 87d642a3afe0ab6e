//! Live registers at each instruction.

use super::calls::{Convention, READ_BY_CALL, STACK_POINTER, is_kept};
use super::registers::Registers;
use crate::flow::{Analysis, Direction, solve, unite};
use crate::{Access, Program, Register, RegisterFile};
use fixedbitset::FixedBitSet;
use machine::{Hardware, Isa};
use std::ops::Range;

/// Live registers of a kernel.
#[derive(Debug, Clone)]
pub struct Liveness {
    registers: Registers,
    /// Number of registers in use at each instruction.
    counts: Vec<LiveCounts>,
    /// Maximum live count of each register file over all instructions.
    max: LiveCounts,
    /// Registers that are live at the end of each block.
    live_out: Vec<FixedBitSet>,
    conventions: Vec<Convention>,
    /// Numbers of the registers that a call may change.
    clobbered: Vec<usize>,
}

/// Number of registers in use at an instruction: the registers live before the instruction and the registers
/// that it writes. `nvdisasm -plr` prints the same numbers under `#`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveCounts {
    pub general: u16,
    pub predicate: u16,
    pub uniform: u16,
    pub uniform_predicate: u16,
}

/// Register files in the order of the fields of [`LiveCounts`].
const FILES: [RegisterFile; 4] =
    [RegisterFile::General, RegisterFile::Predicate, RegisterFile::Uniform, RegisterFile::UniformPredicate];

impl LiveCounts {
    fn max(self, other: Self) -> Self {
        Self {
            general: self.general.max(other.general),
            predicate: self.predicate.max(other.predicate),
            uniform: self.uniform.max(other.uniform),
            uniform_predicate: self.uniform_predicate.max(other.uniform_predicate),
        }
    }
}

impl Liveness {
    /// Computes the live registers at every instruction. `isa` holds the opcodes that `program` was decoded
    /// with.
    ///
    /// A guarded write does not end a live range. Calls and returns follow the vendor's calling convention,
    /// even if the function is in the same kernel. The stack pointer is live to the end.
    pub fn compute(program: &Program, isa: &Isa) -> Self {
        let conventions: Vec<Convention> =
            program.instructions.iter().map(|inst| Convention::from_inst(inst, isa)).collect();
        let registers = Registers::collect(program, unnamed(program, &conventions).into_iter());
        let last = last_of(program, RegisterFile::General);
        let named =
            |register: Register| register.file != RegisterFile::General || Some(register.index) <= last;
        let clobbered = registers.all().iter().enumerate();
        let clobbered = clobbered.filter(|&(_, &register)| named(register) && !is_kept(register));
        let clobbered = clobbered.map(|(number, _)| number).collect();
        let mut liveness = Self {
            registers,
            counts: vec![LiveCounts::default(); program.instructions.len()],
            max: LiveCounts::default(),
            live_out: Vec::new(),
            conventions,
            clobbered,
        };
        liveness.solve(program);
        liveness.count(program);
        liveness
    }

    /// Returns the number of registers in use at an instruction, given its index in the program.
    pub fn counts(&self, inst: usize) -> LiveCounts {
        self.counts[inst]
    }

    /// Maximum live count of each register file over all instructions.
    pub fn max(&self) -> LiveCounts {
        self.max
    }

    /// Registers in use at each instruction of a range, in order, as counted by [`Self::counts`]. Time is
    /// linear in the length of the range's blocks.
    pub fn live_in(&self, program: &Program, range: Range<usize>) -> Vec<Vec<Register>> {
        let mut found = vec![Vec::new(); range.len()];
        let Some(first) = program.instructions.get(range.start) else { return found };
        for (block, own) in program.blocks.iter().enumerate().skip(first.block as usize) {
            if own.instructions.start as usize >= range.end {
                break;
            }
            let mut state = self.at_end(block);
            for at in (range.start.max(own.instructions.start as usize)..own.instructions.end as usize).rev()
            {
                if at < range.end {
                    let mut in_use = state.clone();
                    self.touched(program, at, |number| in_use.insert(number));
                    let registers = in_use.ones().map(|number| self.registers.all()[number]);
                    found[at - range.start] = registers.collect();
                }
                self.step(program, at, &mut state, |_| {});
            }
        }
        found
    }

    /// Registers that are live before an instruction, in order. Time is linear in the length of the
    /// instruction's block.
    pub fn before(&self, program: &Program, inst: usize) -> Vec<Register> {
        self.wanted(program, inst, true)
    }

    /// Registers that are live after an instruction, in order. Time is linear in the length of the
    /// instruction's block.
    pub fn following(&self, program: &Program, inst: usize) -> Vec<Register> {
        self.wanted(program, inst, false)
    }

    /// True if a register is live at the end of a block.
    pub fn is_live_out(&self, block: usize, register: Register) -> bool {
        let number = self.registers.number(register);
        number.is_some_and(|number| self.live_out[block].contains(number))
    }

    fn wanted(&self, program: &Program, inst: usize, before: bool) -> Vec<Register> {
        let block = program.instructions[inst].block as usize;
        let place = inst as u32 + u32::from(!before);
        self.before_each(program, block, &[place]).pop().unwrap_or_default()
    }

    /// Registers that are live before each of these instructions of a block, or at its end. `places` are ascending. Time
    /// is linear in the length of the block.
    pub(crate) fn before_each(&self, program: &Program, block: usize, places: &[u32]) -> Vec<Vec<Register>> {
        let mut state = self.at_end(block);
        let mut at = program.blocks[block].instructions.end;
        let before = |&place: &u32| {
            while at > place {
                at -= 1;
                self.step(program, at as usize, &mut state, |_| {});
            }
            state.ones().map(|number| self.registers.all()[number]).collect()
        };
        let mut live: Vec<Vec<Register>> = places.iter().rev().map(before).collect();
        live.reverse();
        live
    }

    /// Fills `live_out`.
    fn solve(&mut self, program: &Program) {
        let none = FixedBitSet::with_capacity(self.registers.len());
        let mut ends = none.clone();
        ends.extend(self.registers.number(STACK_POINTER));
        let mut problem = Blocks { effects: Vec::with_capacity(program.blocks.len()), leaving: none.clone() };
        for block in &program.blocks {
            let (mut read, mut killed) = (none.clone(), none.clone());
            for at in block.instructions.clone().rev() {
                self.step(program, at as usize, &mut read, |number| killed.insert(number));
            }
            problem.effects.push((read, killed));
        }
        let mut live_out = vec![ends; program.blocks.len()];
        solve(&program.flow, Direction::Backward, &mut problem, &mut live_out);
        self.live_out = live_out;
    }

    fn count(&mut self, program: &Program) {
        let masks = FILES.map(|file| self.mask(file));
        let mut in_use = FixedBitSet::with_capacity(self.registers.len());
        for (index, block) in program.blocks.iter().enumerate() {
            let mut state = self.at_end(index);
            for at in block.instructions.clone().rev() {
                let at = at as usize;
                in_use.clone_from(&state);
                self.touched(program, at, |number| in_use.insert(number));
                let [general, predicate, uniform, uniform_predicate] =
                    [0, 1, 2, 3].map(|file: usize| in_use.intersection_count(&masks[file]) as u16);
                let counts = LiveCounts { general, predicate, uniform, uniform_predicate };
                self.counts[at] = counts;
                self.max = self.max.max(counts);
                self.step(program, at, &mut state, |_| {});
            }
        }
    }

    /// All registers of a file.
    fn mask(&self, file: RegisterFile) -> FixedBitSet {
        let mut mask = FixedBitSet::with_capacity(self.registers.len());
        let all = self.registers.all().iter().enumerate();
        mask.extend(all.filter(|(_, register)| register.file == file).map(|(number, _)| number));
        mask
    }

    fn at_end(&self, block: usize) -> FixedBitSet {
        self.live_out[block].clone()
    }

    /// Transfer function: computes the registers live before an instruction from the registers live after it.
    fn step(&self, program: &Program, at: usize, state: &mut FixedBitSet, mut killed: impl FnMut(usize)) {
        let inst = &program.instructions[at];
        if inst.guard.is_none() {
            for number in self.named(program.writes(inst), at) {
                state.remove(number);
                killed(number);
            }
            if self.conventions[at] == Convention::Call {
                for &number in &self.clobbered {
                    state.remove(number);
                    killed(number);
                }
            }
        }
        for number in self.reads(program, at) {
            state.insert(number);
        }
    }

    fn reads<'a>(&'a self, program: &'a Program, at: usize) -> impl Iterator<Item = usize> + 'a {
        let named = self.named(program.reads(&program.instructions[at]), at);
        let by_call: &[Register] = match self.conventions[at] {
            Convention::Call => &READ_BY_CALL,
            _ => &[],
        };
        let kept: &[Register] = match self.conventions[at] {
            Convention::Return => self.registers.all(),
            _ => &[],
        };
        let kept = kept
            .iter()
            .copied()
            .filter(|&register| is_kept(register) && register.file == RegisterFile::General);
        let unnamed = by_call.iter().copied().chain(kept);
        named.chain(unnamed.filter_map(|register| self.registers.number(register)))
    }

    /// Numbers of the registers that an instruction names, except for predicates that it packs or unpacks.
    fn named<'a>(&'a self, accesses: &'a [Access], at: usize) -> impl Iterator<Item = usize> + 'a {
        let packs = self.conventions[at] == Convention::Packed;
        let counts = move |access: &&Access| {
            !packs || access.operand.is_none() || access.register.file != RegisterFile::Predicate
        };
        accesses.iter().filter(counts).filter_map(|access| self.registers.number(access.register))
    }

    /// Calls `touch` with the number of each register that an instruction reads or writes.
    fn touched(&self, program: &Program, at: usize, mut touch: impl FnMut(usize)) {
        self.named(program.writes(&program.instructions[at]), at).for_each(&mut touch);
        self.reads(program, at).for_each(&mut touch);
        if self.conventions[at] == Convention::Call {
            self.clobbered.iter().copied().for_each(&mut touch);
        }
    }
}

/// Registers that instructions may access without naming them: the stack pointer and, if the kernel has a call or a
/// return, every register up to the highest that the kernel names in each file. General registers also include those
/// that the hardware reserves beyond the highest.
fn unnamed(program: &Program, conventions: &[Convention]) -> Vec<Register> {
    let mut unnamed = vec![STACK_POINTER];
    if !conventions.iter().any(|what| matches!(what, Convention::Call | Convention::Return)) {
        return unnamed;
    }
    for (file, set_aside) in [
        (RegisterFile::General, Hardware::builtin().registers_set_aside.value as u16),
        (RegisterFile::Uniform, 0),
        (RegisterFile::Predicate, 0),
        (RegisterFile::UniformPredicate, 0),
    ] {
        if let Some(last) = last_of(program, file) {
            let all = 0..=last.saturating_add(set_aside);
            unnamed.extend(all.map(|index| Register { file, index }));
        }
    }
    unnamed
}

/// The highest register index in a file that the kernel names; `None` if the kernel names no register of the
/// file.
fn last_of(program: &Program, file: RegisterFile) -> Option<u16> {
    let named = program.accesses.iter().map(|access| access.register);
    named.filter(|register| register.file == file).map(|register| register.index).max()
}

/// Liveness as a dataflow problem. `effects` holds two sets for each block: the registers that the block
/// reads before writing them, and the registers that it writes unconditionally.
struct Blocks {
    effects: Vec<(FixedBitSet, FixedBitSet)>,
    /// Registers that are live at the start of the block that was last passed to `transfer`.
    leaving: FixedBitSet,
}

impl Analysis for Blocks {
    type State = FixedBitSet;

    fn transfer(&mut self, block: u32, state: &FixedBitSet) {
        let (read, killed) = &self.effects[block as usize];
        self.leaving.clone_from(state);
        self.leaving.difference_with(killed);
        self.leaving.union_with(read);
    }

    fn join(&mut self, _: u32, _: u32, state: &mut FixedBitSet) -> bool {
        unite(state, &self.leaving)
    }
}
