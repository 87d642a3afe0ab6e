//! Ordering that two accesses of one register require.

use super::key::{file, is_of_several, overwrite, usage};
use super::pair::{Order, is_read_in_time, is_read_late};
use crate::in_flight::{WINDOW, share_line};
use crate::{Program, Register, RegisterFile};
use machine::{Class, ClassTrait, DistanceKey, Distances, ResultPart, Usage};

/// First `sm` number for which a `BAR` instruction reads its barrier number from a register after it has issued.
///
/// Source: ptxas 13.5 waits for the read before it overwrites the register, from `sm_80` on but not for `sm_75`.
const AMPERE: u16 = 80;

/// Ordering that a dependence requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Program order suffices.
    None,
    /// This many cycles from issue to issue.
    Cycles(u32),
    /// The second instruction waits for a scoreboard of the first instruction: the write barrier or, for a
    /// register that the first instruction reads, either barrier. The scoreboard of a later instruction in the
    /// same in-order queue also suffices.
    Scoreboard,
}

/// Finds the ordering that a program's dependences require.
#[derive(Debug, Clone, Copy)]
pub struct Needs<'a> {
    program: &'a Program,
}

impl<'a> Needs<'a> {
    /// Creates the analysis for a program. The program's architecture supplies the distances.
    pub fn new(program: &'a Program) -> Self {
        Self { program }
    }

    /// Returns the ordering that suffices for `second` after `first`, both of which access `register`.
    ///
    /// For a pair without a table entry, returns an ordering that suffices for every similar pair.
    pub fn between(self, first: u32, second: u32, register: Register, order: Order) -> Need {
        let Some(before) = self.class(first) else { return Need::Scoreboard };
        if order == Order::WriteAfterRead && self.fetches_late(first, register) {
            return Need::Scoreboard;
        }
        if order == Order::WriteAfterRead && self.is_late_operand(first, register) {
            let like = Register { file: RegisterFile::Uniform, ..register };
            return Need::Cycles(self.cycles(first, second, like, order));
        }
        match waits(before, self.class(second), register, order) {
            Some(true) => Need::Scoreboard,
            Some(false) => Need::None,
            None => Need::Cycles(self.cycles(first, second, register, order)),
        }
    }

    /// True if the instruction reads this register after its issue, although its class suggests a read at issue.
    ///
    /// Source: all 152 uniform registers of such instructions in libraries' code for `sm_90a`, and all 30 general
    /// registers of barriers in code of ptxas 13.5 for `sm_90a`, are overwritten after a wait for this read.
    fn fetches_late(self, inst: u32, register: Register) -> bool {
        let opcode = self.program.instructions[inst as usize].opcode;
        let Some(form) = opcode.map(|id| self.program.arch.isa.form(id)) else { return false };
        if !is_read_in_time(register) {
            return is_read_late(register) && self.fetches_number(inst);
        }
        form.is_form("SYNCS", "EXCH") || self.class(inst).is_some_and(|class| class.has(ClassTrait::BulkCopy))
    }

    /// True if the instruction reads a uniform predicate as an operand. The uniform pipe reads it as late as a uniform
    /// register; a guard is read at issue.
    ///
    /// Source: on an H200 a `VOTEU` one cycle after a `USEL` changes what the `USEL` reads.
    fn is_late_operand(self, inst: u32, register: Register) -> bool {
        let program = self.program;
        register.file == RegisterFile::UniformPredicate
            && program.reads(&program.instructions[inst as usize]).iter().any(|read| {
                read.register == register && usage(program, inst, register, read.operand) != Usage::Guard
            })
    }

    /// True for a `BAR` that reads its barrier number from a register, after it has issued.
    pub fn fetches_number(self, inst: u32) -> bool {
        let (program, decoded) = (self.program, &self.program.instructions[inst as usize]);
        program.arch.sm >= AMPERE
            && decoded.opcode.is_some_and(|id| &*program.arch.isa.form(id).mnemonic == "BAR")
            && program.reads(decoded).iter().any(|read| is_read_late(read.register))
    }

    /// Returns the minimum stall count of an instruction, whichever instruction follows.
    pub fn after(self, inst: u32) -> u32 {
        let class = self.program.instructions[inst as usize].class;
        let next = class.and_then(|class| self.program.arch.distances().next(class));
        next.map_or(1, |known| known.value.max(1))
    }

    fn cycles(self, first: u32, second: u32, register: Register, order: Order) -> u32 {
        let program = self.program;
        let class = |inst: u32| program.instructions[inst as usize].class;
        let reads = program.reads(&program.instructions[second as usize]);
        let operands = reads.iter().filter(|read| read.register == register).map(|read| read.operand);
        let distances = program.arch.distances();
        let is_fixed = self.class(second).is_some_and(|class| class.latency.is_fixed());
        let known = class(first)
            .zip(file(register))
            .filter(|_| order != Order::WriteAfterWrite || is_fixed)
            .and_then(|(producer, file)| {
                let part = if self.is_last(first, register) { ResultPart::Last } else { ResultPart::Early };
                let stated = self.stated(first, second, register, order);
                let of = |usage| {
                    let key = DistanceKey { producer, part, file, usage, consumer: class(second) };
                    if let Some(seen) = distances.trusted(key) {
                        // A smaller distance that was rarely observed is enough if it covers the architecture's
                        // latency.
                        let met = distances.met(key).map_or(seen.value, |met| met.value.max(stated));
                        return Some(seen.value.min(met).min(max_of_several(distances, key, stated)));
                    }
                    let other = DistanceKey { part: ResultPart::Last, ..key };
                    let plain = DistanceKey { usage: Usage::Operand, ..other };
                    // A result of another pipe lands at another time, so other pairs say nothing about the order of
                    // two results.
                    let similar = if order == Order::WriteAfterWrite {
                        let mut keys = [key, other, other.late()].into_iter();
                        let near = keys.find_map(|key| distances.similar_in_pipe(key));
                        near.map_or_else(|| distances.landed(producer, file), |near| Some(near.value))?
                    } else {
                        [key, other, plain].into_iter().find_map(|key| distances.similar(key))?.value
                    };
                    // The low half of a pair is read no later than the high half.
                    let late = distances.trusted(key.late()).map_or(0, |late| late.value);
                    let guess = similar.max(stated).max(late);
                    let guess = guess.min(max_of_several(distances, key, stated));
                    // A distance observed only once is enough, unless it is below the architecture's latency.
                    Some(distances.met(key).map_or(guess, |met| guess.min(met.value.max(stated))))
                };
                match order {
                    Order::WriteAfterWrite => of(overwrite(program, second, register)),
                    Order::WriteAfterRead => of(Usage::AfterRead),
                    // The high half of a pair keeps the distance of the low one: a pipe that reads it late gains
                    // nothing.
                    Order::ReadAfterWrite => operands
                        .flat_map(|operand| {
                            let own = usage(program, second, register, operand);
                            [Some(own), is_of_several(program, second, operand).then(|| own.early())]
                        })
                        .flatten()
                        .map(of)
                        .reduce(|most, cycles| Some(most?.max(cycles?)))
                        .flatten(),
                }
            });
        known.unwrap_or_else(|| self.by_latency(first, second, register, order))
    }

    /// Returns the architecture's latency for a read after a write of a general register; 0 for other pairs.
    fn stated(self, first: u32, second: u32, register: Register, order: Order) -> u32 {
        let class = |inst: u32| self.program.instructions[inst as usize].class;
        if order != Order::ReadAfterWrite || register.file != RegisterFile::General {
            return 0;
        }
        let pair = class(first).zip(class(second));
        pair.and_then(|(writer, reader)| self.program.arch.raw_latency(writer, reader))
            .map_or(0, |known| known.value)
    }

    /// Returns the cycles that the architecture's latencies imply, for pairs without a distance from compiled
    /// code.
    fn by_latency(self, first: u32, second: u32, register: Register, order: Order) -> u32 {
        let arch = &self.program.arch;
        let class = |inst: u32| self.program.instructions[inst as usize].class;
        let is_predicate = matches!(register.file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
        let pair = class(first).zip(class(second));
        let latency = pair.and_then(|(writer, reader)| arch.raw_latency(writer, reader));
        let cycles = latency.map_or(WINDOW, |known| known.value);
        match order {
            // If no distance was observed, the distance of the slowest observed reader applies.
            Order::WriteAfterRead => self.program.arch.distances().max_after_read(),
            // The later result must not land first. It cannot if the earlier result has landed when it issues.
            Order::WriteAfterWrite => cycles,
            _ if is_predicate => cycles.max(arch.predicate_guard.value),
            Order::ReadAfterWrite => cycles,
        }
    }

    fn is_last(self, writer: u32, register: Register) -> bool {
        let writes = self.program.writes(&self.program.instructions[writer as usize]);
        let own = writes.iter().find(|write| write.register == register);
        own.is_none_or(|own| {
            !writes.iter().any(|other| other.operand == own.operand && other.register.index > register.index)
        })
    }

    fn class(self, inst: u32) -> Option<&'a Class> {
        let program = self.program;
        program.instructions[inst as usize].class.map(|class| program.arch.class(class))
    }
}

/// Returns an upper bound on the required cycles for an early half of an operand that names several registers.
///
/// The bound is the largest of `stated`, the observed distance of the operand's last register, and the observed
/// distance of a first source of one register, which no pipe reads later than an early half. The observed distance of
/// an early half may exceed the bound by accident if only one kernel has the pair. `u32::MAX` if no bound is known.
pub(super) fn max_of_several(distances: &Distances, key: DistanceKey, stated: u32) -> u32 {
    if key.usage == key.usage.late() {
        return u32::MAX;
    }
    let plain = distances.trusted(DistanceKey { usage: Usage::Operand, part: ResultPart::Last, ..key });
    let known = [distances.trusted(key.late()), plain].into_iter().flatten().map(|known| known.value);
    let most = known.max().unwrap_or(0).max(stated);
    if most == 0 { u32::MAX } else { most }
}

/// Returns whether a scoreboard must order two instructions; `None` if a distance in cycles orders them.
pub(super) fn waits(first: &Class, second: Option<&Class>, register: Register, order: Order) -> Option<bool> {
    // `WARPGROUP.DEPBAR`, which precedes the first use of the result, signals the end of a warpgroup's products.
    if first.has(ClassTrait::Unordered) && is_read_late(register) {
        return Some(false);
    }
    let is_in_order = |is_read| second.is_some_and(|second| share_line(first, second, is_read));
    if order == Order::WriteAfterRead {
        if is_read_in_time(register) {
            return None;
        }
        let is_late = !first.latency.is_fixed() && is_read_late(register);
        return Some(is_late && !is_in_order(true));
    }
    if first.latency.is_fixed() {
        return None;
    }
    Some(order == Order::ReadAfterWrite || !is_in_order(false))
}
