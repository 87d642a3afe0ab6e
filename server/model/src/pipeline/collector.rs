//! Register banks and operand latches, which determine when a fixed-latency instruction has its operands.
//!
//! Each of the two banks has one port and, for each operand slot, one latch. An instruction leaves the stage
//! when all its operands have arrived. If operands are late, issue is frozen until their arrival. The latches
//! are the reuse cache.

use super::code::{MAX_SOURCES, Op, Source, cycles, registers};
use super::cycles::Cycles;
use super::warp::Warp;
use machine::{Pipeline, Rule};
use std::ops::Range;

/// Number of banks of the register file; a test compares it with `hardware.toml`.
pub(crate) const BANKS: usize = 2; // Source: `register_banks` in `hardware.toml`
/// Number of operand slots of an instruction: a, b and c.
pub(crate) const SLOTS: usize = 3; // Source: the three register fields of the encoding
/// Maximum number of registers that an instruction of a fixed-latency pipe reads: three pairs.
const MAX_READS: usize = 6; // limit: three pairs

#[derive(Debug, Clone, Copy, Default)]
struct Latch {
    /// Register number in the lowest byte, and warp number in the upper bytes; `None` if the latch is empty.
    register: Option<u32>,
    /// The first cycle in which another operand can be read into the latch.
    free: u64,
    /// True if the next instruction that names the register in this slot need not read the register.
    kept: bool,
}

type Latches = [[Latch; SLOTS]; BANKS];

/// A register that an instruction reads for one or several operand slots.
#[derive(Debug, Clone, Copy, Default)]
struct Read {
    register: u8,
    /// Mask of the operand slots.
    slots: u8,
    /// Cycle in which the register's writer left the operand stage; 0 if unknown.
    exit: u64,
    /// The first cycle in which all latches of the register are free.
    from: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Collector {
    /// Frozen cycles, in which no instruction issues and no latency advances.
    pub frozen: Cycles,
    /// True if a cycle was frozen since this flag was last cleared.
    pub has_frozen: bool,
    /// Cycles in which the read port is taken, by bank.
    ports: [Cycles; BANKS],
    /// Cycles of `ports` in which queued instructions read. Forwarded reads, and reads of matrix products,
    /// take precedence over these reads.
    soft: [Cycles; BANKS],
    latches: Latches,
    /// Separate latches of the double-precision pipe.
    latches64: Latches,
    /// Cycles in which no other instruction may leave the operand stage, because the write ports of both banks are
    /// taken.
    both: Cycles,
    /// For each bank, the cycles in which no instruction with a result in the bank may leave the operand stage, because
    /// the bank's write port is taken.
    writes: [Cycles; BANKS],
    /// For each bank, the cycles in which results left the operand stage or the tensor pipe. They take the bank's write
    /// port a fixed number of cycles later.
    left: [Cycles; BANKS],
}

const fn bank(register: u8) -> usize {
    (register & 1) as usize
}

impl Collector {
    /// Reads the operands of a fixed-latency instruction that issues in `cycle`, and reserves the write port for its
    /// result. Freezes issue while operands are late.
    pub(super) fn fixed(&mut self, figures: &Pipeline, warp: &mut Warp, op: &Op, cycle: u64) {
        let known = &figures.collector;
        let on_time = self.frozen.advance(cycle, cycles(&known.exit));
        let mut last = cycle;
        let mut caught = 0_u8;
        let mut reads = [Read::default(); MAX_READS];
        let count = self.reads(warp, op, cycle, &mut reads);
        let reads = &mut reads[..count];
        let is_forwarded =
            |read: &Read| read.exit > 0 && on_time.saturating_sub(read.exit) <= cycles(&known.forwarded);
        // The banks are independent of each other.
        reads.sort_by_key(|read| std::cmp::Reverse(read.exit));
        for read in reads.iter().filter(|read| is_forwarded(read)) {
            let at = bank(read.register);
            let issued = read.exit - cycles(&known.exit);
            if cycle.saturating_sub(issued) <= cycles(&known.unkept) {
                caught |= read.slots;
            }
            let mut when = on_time;
            if op.rule == Rule::Wide {
                when = self.ports[at].next_free(when.max(issued + cycles(&known.wide_late)));
            } else if self.ports[at].contains(when) && !self.soft[at].contains(when) {
                when = self.ports[at].next_free(when.max(issued + cycles(&known.late)));
            }
            self.ports[at].insert(when);
            last = last.max(when);
        }
        reads.sort_by_key(|read| read.from);
        for read in reads.iter().filter(|read| !is_forwarded(read)) {
            let at = bank(read.register);
            let mut when = self.ports[at].next_free(read.from);
            let is_blind = read.exit > 0
                && cycle + cycles(&known.exit) == read.exit + cycles(&known.blind)
                && when == cycle;
            if is_blind {
                when = self.ports[at].next_free(when + 1);
            }
            self.ports[at].insert(when);
            last = last.max(when);
        }
        let exit = self.leave(figures, op, on_time.max(last));
        self.freeze(on_time..exit);
        let latches = if op.rule == Rule::Fp64 { &mut self.latches64 } else { &mut self.latches };
        for Source { slot, register } in op.sources() {
            latches[bank(*register)][usize::from(*slot)] = Latch {
                register: Some(warp.name(*register)),
                free: exit + cycles(&known.release),
                kept: op.kept >> slot & 1 == 1 && caught >> slot & 1 == 0,
            };
        }
        for register in registers(op.result) {
            warp.exits[usize::from(register)] = exit;
            self.left[bank(register)].insert(exit);
        }
    }

    fn freeze(&mut self, frozen: Range<u64>) {
        self.has_frozen |= !frozen.is_empty();
        frozen.for_each(|cycle| self.frozen.insert(cycle));
    }

    /// Collects the registers that are not in the reuse cache, without duplicates, and returns their number.
    fn reads(&self, warp: &Warp, op: &Op, cycle: u64, reads: &mut [Read; MAX_READS]) -> usize {
        let latches = if op.rule == Rule::Fp64 { &self.latches64 } else { &self.latches };
        let mut count = 0;
        for Source { slot, register } in op.sources() {
            let latch = &latches[bank(*register)][usize::from(*slot)];
            if latch.kept && latch.register == Some(warp.name(*register)) {
                continue;
            }
            let known = reads[..count].iter().position(|read| read.register == *register);
            let at = known.unwrap_or(count);
            let Some(read) = reads.get_mut(at) else { break };
            count = count.max(at + 1);
            read.register = *register;
            read.slots |= 1 << slot;
            read.from = read.from.max(latch.free).max(cycle);
            read.exit = warp.exits[usize::from(*register)];
        }
        count
    }

    /// Returns the cycle in which an instruction leaves the stage if its operands arrive at `from`: the first
    /// cycle for which a write port is free.
    fn leave(&mut self, figures: &Pipeline, op: &Op, from: u64) -> u64 {
        let write = cycles(&figures.fp64.write);
        match op.rule {
            Rule::Wide => from + cycles(&figures.fma.wide_exit),
            Rule::Fp64 => {
                self.both.insert(from + write);
                from
            }
            _ => {
                let bank = op.result.first.map(bank);
                let is_taken = |cycle: u64| {
                    self.both.contains(cycle) || bank.is_some_and(|bank| self.writes[bank].contains(cycle))
                };
                let mut exit = from;
                while is_taken(exit) {
                    exit += 1;
                }
                exit
            }
        }
    }

    /// Reads the operands of a matrix product in a fixed order; otherwise like [`Self::fixed`].
    pub(super) fn tensor(&mut self, figures: &Pipeline, warp: &mut Warp, op: &Op, cycle: u64) {
        let (starts, shift, write) = if op.rule == Rule::TensorSmall {
            let known = &figures.tensor_small;
            ([&known.a, &known.b, &known.c], cycles(&known.shift), cycles(&known.write))
        } else {
            let known = &figures.tensor_large;
            ([&known.a, &known.b, &known.c], cycles(&known.shift), cycles(&known.write))
        };
        // Two registers, one of each bank, are read per cycle.
        let mut place = [0_u64; SLOTS];
        let mut reads = [(0_usize, 0_u64); MAX_SOURCES];
        for (read, Source { slot, register }) in reads.iter_mut().zip(op.sources()) {
            let slot = usize::from(*slot);
            *read = (bank(*register), cycles(starts[slot]) + place[slot] / 2);
            place[slot] += 1;
        }
        let reads = &reads[..op.sources().len()];
        let is_hard = |set: &Self, bank: usize, when: u64| {
            set.ports[bank].contains(when) && !set.soft[bank].contains(when)
        };
        let mut moved = 0;
        while reads.iter().any(|(bank, at)| is_hard(self, *bank, cycle + moved + at)) {
            moved += shift;
        }
        let on_time = self.frozen.advance(cycle, cycles(&figures.collector.exit));
        for &(bank, at) in reads {
            let when = cycle + moved + at;
            if self.soft[bank].contains(when) {
                self.soft[bank].remove(when);
                let later = self.ports[bank].next_free(when);
                self.ports[bank].insert(later);
                self.soft[bank].insert(later);
            }
            self.ports[bank].insert(when);
        }
        let exit = on_time + moved;
        self.freeze(on_time..exit);
        for writes in &mut self.writes {
            writes.insert(exit + write);
            writes.insert(exit + write + 1);
        }
        for (place, register) in (0..).zip(registers(op.result)) {
            let left = exit + write + place / 2;
            warp.exits[usize::from(register)] = left;
            self.left[bank(register)].insert(left);
        }
    }

    /// Reserves the read port of a register's bank in cycle `when`, for an operand of a queued instruction.
    pub(super) fn take(&mut self, register: u8, when: u64) {
        self.ports[bank(register)].insert(when);
        self.soft[bank(register)].insert(when);
    }

    /// Returns the cycle in which the last of `count` registers is written. The first register is written at
    /// `from` or later, since results of fixed latency take precedence.
    pub(super) fn written(&self, figures: &Pipeline, from: u64, register: u8, count: u8) -> u64 {
        let write = cycles(&figures.result.write);
        let mut when = from;
        for more in 0..count {
            let left = &self.left[bank(register.wrapping_add(more))];
            while left.contains(when.saturating_sub(write)) {
                when += 1;
            }
            when += 1;
        }
        when - 1
    }

    pub(super) fn forget(&mut self, before: u64) {
        self.frozen.forget(before);
        self.both.forget(before);
        for set in self.ports.iter_mut().chain(&mut self.soft).chain(&mut self.writes).chain(&mut self.left) {
            set.forget(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BANKS;
    use machine::Hardware;

    #[test]
    fn the_banks_are_those_of_the_data() {
        assert_eq!(Hardware::builtin().register_banks(90).count.value, BANKS as u32);
    }
}
