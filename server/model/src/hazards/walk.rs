//! Follows accesses in flight along control flow.

use super::elapsed::{Clock, Time, min_wait};
use super::implied::{GuardImplications, leaves};
use super::in_flight_access::{InFlightAccess, Signal};
use super::pair::{Order, Pair, is_read_in_time, is_read_late};
use crate::dataflow::Registers;
use crate::in_flight::{
    self, ByRegister, Event, SCOREBOARDS, Scoreboards, WINDOW, Walker, follow, line, named, share_line,
};
use crate::{Access, Guard, Inst, Program, Register, RegisterFile};
use machine::{Class, ClassTrait, Flow, Hardware};
use std::borrow::Cow;

/// Follows every path through a program. Passes each pair of instructions that access the same register to
/// `take` if the first instruction may be in flight when the second issues.
///
/// A fixed-latency write counts as in flight for [`WINDOW`] cycles. A variable-latency write or a late read
/// counts as in flight until a wait on its scoreboard. Calls are not followed: no access is in flight after a
/// call. Time and memory are about linear in the program. `time` selects the clock.
pub(super) fn walk(program: &Program, time: Time, mut take: impl FnMut(Pair)) {
    let mut walker = Walk::new(program, time);
    for (block, start) in walker.starts().iter().enumerate() {
        walker.block(block as u32, start, &mut take);
    }
}

struct Walk<'a> {
    program: &'a Program,
    registers: Registers,
    /// Cycles that a wait for everything in flight takes; see [`Hardware`].
    drained: i32,
    clock: Clock,
    /// Number of instructions in this block so far that wait for scoreboards.
    waits: i32,
    touches: Vec<InFlightAccess>,
    /// Indices of accesses in flight, by register.
    by_register: ByRegister<u32>,
    /// Indices of accesses that a scoreboard ends, including accesses that have ended.
    scoreboards: Scoreboards<u32>,
    /// Number of operations that have set each scoreboard in this block.
    counts: [i32; SCOREBOARDS],
    /// Indices of accesses with a guard.
    guarded: Vec<u32>,
    implied: GuardImplications,
    /// Indices of accesses by instructions in an in-order queue, including accesses that have ended.
    lined_up: Vec<u32>,
}

/// Marks an access that has ended.
const OVER: u32 = u32::MAX; // limit: no touch has this value

impl<'a> Walk<'a> {
    fn new(program: &'a Program, time: Time) -> Self {
        let registers = Registers::collect(program, std::iter::empty());
        Self {
            program,
            drained: Hardware::builtin().drained.value as i32,
            clock: Clock::new(time),
            waits: 0,
            touches: Vec::new(),
            by_register: ByRegister::new(registers.len()),
            scoreboards: Scoreboards::new(),
            counts: [0; SCOREBOARDS],
            guarded: Vec::new(),
            implied: GuardImplications::default(),
            lined_up: Vec::new(),
            registers,
        }
    }

    /// Returns the accesses in flight at the start of each block.
    fn starts(&mut self) -> Vec<Vec<InFlightAccess>> {
        let mut starts = vec![Vec::new(); self.program.blocks.len()];
        follow(&self.program.flow, self, &mut starts);
        starts
    }

    fn block(&mut self, block: u32, entry: &[InFlightAccess], mut take: impl FnMut(Pair)) {
        self.clear();
        for touch in entry {
            self.add(*touch);
        }
        for at in self.program.blocks[block as usize].instructions.clone() {
            self.instruction(at, &mut take);
        }
    }

    fn clear(&mut self) {
        self.clock.restart();
        self.waits = 0;
        self.touches.clear();
        self.by_register.clear();
        self.scoreboards.clear();
        self.counts = [0; SCOREBOARDS];
        self.guarded.clear();
        self.implied.clear();
        self.lined_up.clear();
    }

    fn add(&mut self, touch: InFlightAccess) {
        let at = self.touches.len() as u32;
        self.by_register.push(touch.register, touch.event.is_read(), at);
        named(touch.scoreboards()).for_each(|board| self.scoreboards.count(board, at));
        if touch.is_guarded() {
            self.guarded.push(at);
        }
        let class = class_of(self.program, touch.event.inst());
        let has_line = |class: &Class| line(class, true).is_some() || line(class, false).is_some();
        if class.is_some_and(|class| !class.latency.is_fixed() && has_line(class)) {
            self.lined_up.push(at);
        }
        self.touches.push(touch);
    }

    fn instruction(&mut self, at: u32, take: &mut impl FnMut(Pair)) {
        let program = self.program;
        let inst = &program.instructions[at as usize];
        self.wait(at, inst);
        self.drain(inst);
        for access in program.reads(inst) {
            self.check_dependence(at, inst, *access, false, take);
        }
        for access in program.writes(inst) {
            self.check_dependence(at, inst, *access, true, take);
        }
        for access in program.writes(inst) {
            self.overwrite(inst, access.register);
        }
        self.implied.pass(program, inst);
        self.start(at, inst);
        self.clock.stall(match inst.stall() {
            _ if inst.dual => 0,
            Some(0) if waits_for_all(program, inst) => self.clock.drained(self.drained),
            stall => stall.map_or(1, |stall| i32::from(stall).max(1)),
        });
    }

    /// Ends the accesses that the instruction waits for.
    fn wait(&mut self, at: u32, inst: &Inst) {
        let mask = inst.control.map_or(0, |control| control.wait_mask);
        self.waits += i32::from(mask != 0 || self.program.counted_wait(at).is_some());
        let visible = self.scoreboards.visible as i32;
        for scoreboard in named(mask) {
            self.settle(scoreboard, 0, visible);
        }
        // `DEPBAR` reads the scoreboards after its issue, so it sees one that the instruction before it has just set.
        if let Some(wait) = self.program.counted_wait(at) {
            self.settle(wait.scoreboard, wait.at_most, 0);
            for scoreboard in named(wait.also) {
                self.settle(scoreboard, 0, 0);
            }
        }
    }

    /// Ends the reads of earlier memory instructions at a barrier that blocks at once, or at an instruction
    /// that waits for everything in flight. Nothing issues after such an instruction until the earlier
    /// instructions have read their registers. Source: compilers overwrite these registers without a wait, in
    /// code for `sm_75`; `DEFER_BLOCKING` marks a barrier that does not block at once. After `MEMBAR` with
    /// stall count 0, compilers do so in code for `sm_50`.
    fn drain(&mut self, inst: &Inst) {
        let form = inst.opcode.map(|opcode| self.program.arch.isa.form(opcode));
        let is_deferred =
            form.is_none_or(|form| form.requires.iter().any(|need| &**need == "DEFER_BLOCKING"));
        let blocks = inst.flow == Flow::Barrier && !is_deferred;
        let holds = inst.stall() == Some(0) && waits_for_all(self.program, inst);
        if !blocks && !holds {
            return;
        }
        for &index in &self.lined_up {
            let touch = &mut self.touches[index as usize];
            let class =
                (touch.register != OVER).then(|| class_of(self.program, touch.event.inst())).flatten();
            if touch.event.is_read() && class.is_some_and(|class| line(class, true).is_some()) {
                touch.register = OVER;
            }
        }
    }

    /// Waits until at most `at_most` operations of a scoreboard are pending. The wait sees operations that
    /// set the scoreboard at least `visible` cycles ago.
    fn settle(&mut self, scoreboard: u8, at_most: u32, visible: i32) {
        let count = self.counts[usize::from(scoreboard)];
        let at_most = i32::try_from(at_most).unwrap_or(i32::MAX);
        let now = self.clock.now();
        let (touches, clock) = (&mut self.touches, &mut self.clock);
        self.scoreboards.retain(scoreboard, |&index| {
            let touch = &mut touches[index as usize];
            if touch.register == OVER {
                return false;
            }
            let Some(signal) = touch.signals[usize::from(scoreboard)] else { return false };
            if now - signal.issued >= visible && count - 1 - signal.ordinal >= at_most {
                touch.register = OVER;
                clock.waited(signal.issued, signal.least);
            }
            touch.register != OVER
        });
    }

    /// Reports the pairs that an access forms with accesses in flight.
    fn check_dependence(
        &mut self,
        at: u32,
        inst: &Inst,
        access: Access,
        writes: bool,
        take: &mut impl FnMut(Pair),
    ) {
        let Some(number) = self.registers.number(access.register) else { return };
        let (touches, clock, program) = (&self.touches, &self.clock, self.program);
        let waits = self.waits;
        // Two reads need no order.
        for is_read in [false, true].into_iter().take(1 + usize::from(writes)) {
            self.by_register.list_mut(number as u32, is_read).retain(|&index| {
                let touch = &touches[index as usize];
                if touch.register == OVER {
                    return false;
                }
                let cycles = clock.since(touch.issued);
                if is_fixed_touch(touch, program) && cycles > WINDOW as i32 {
                    return false;
                }
                // Opposite guards exclude each other only while the predicate keeps its value.
                if !touch.excludes(inst.guard) {
                    let order = match (is_read, writes) {
                        (false, false) => Order::ReadAfterWrite,
                        (false, true) => Order::WriteAfterWrite,
                        (true, _) => Order::WriteAfterRead,
                    };
                    take(Pair {
                        first: touch.event.inst(),
                        second: at,
                        register: access.register,
                        order,
                        is_last: touch.is_last,
                        operand: access.operand,
                        cycles: cycles.max(0) as u32,
                        waits: (waits - touch.waits).max(0) as u32,
                        scoreboards: touch.scoreboards(),
                    });
                }
                true
            });
        }
    }

    /// Ends the accesses in flight of an overwritten register, whose pairs have been reported.
    fn overwrite(&mut self, inst: &Inst, register: Register) {
        let Some(number) = self.registers.number(register) else { return };
        let touches = &mut self.touches;
        for is_read in [false, true] {
            self.by_register.list_mut(number as u32, is_read).retain(|&index| {
                let touch = &mut touches[index as usize];
                if inst.guard.is_none() || touch.guard == inst.guard {
                    touch.register = OVER;
                }
                touch.register != OVER
            });
        }
        if matches!(register.file, RegisterFile::Predicate | RegisterFile::UniformPredicate) {
            self.guarded.retain(|&index| {
                let touch = &mut touches[index as usize];
                touch.guard = touch.guard.filter(|guard| guard.predicate != register);
                touch.implied.remove(register);
                touch.is_guarded()
            });
        }
    }

    /// Adds an instruction's own accesses to the accesses in flight.
    fn start(&mut self, at: u32, inst: &Inst) {
        let program = self.program;
        let class = class_of(program, at);
        let mut write = [None; SCOREBOARDS];
        let mut read = [None; SCOREBOARDS];
        if let Some(control) = inst.control {
            // A result is written after the sources were read, so the write barrier signals both.
            let both = control.write_barrier.map(|scoreboard| (scoreboard, true));
            for (scoreboard, is_write) in
                control.read_barrier.map(|scoreboard| (scoreboard, false)).into_iter().chain(both)
            {
                let scoreboard = usize::from(scoreboard);
                let least = min_wait(inst, class, is_write, program.arch.sm);
                let signal = Signal { issued: self.clock.now(), ordinal: self.counts[scoreboard], least };
                self.counts[scoreboard] += 1;
                read[scoreboard] = Some(signal);
                if is_write {
                    write[scoreboard] = Some(signal);
                }
            }
        }
        self.line_up(class, &write, &read);
        // A guard that the instruction itself rewrites says nothing about what follows.
        let (mut guard, mut implied) = (inst.guard, self.implied.by(inst.guard));
        for access in program.writes(inst) {
            guard = guard.filter(|guard| guard.predicate != access.register);
            implied.remove(access.register);
        }
        let (issued, waits) = (self.clock.now(), self.waits);
        let touch = |access: &Access, register: usize, event, signals| InFlightAccess {
            register: register as u32,
            event,
            is_uniform: is_read_in_time(access.register),
            is_last: !program
                .writes(inst)
                .iter()
                .any(|other| other.operand == access.operand && other.register.index > access.register.index),
            issued,
            signals,
            guard,
            implied,
            waits,
        };
        for access in program.writes(inst).iter().filter(|access| !leaves(program, inst, access.register)) {
            if let Some(number) = self.registers.number(access.register) {
                let signals = match access.register.file {
                    // A predicate result reports the kind of address, and arrives with the reads.
                    RegisterFile::Predicate => read,
                    // Convergence barriers change in the order of the text, whatever a scoreboard says of other
                    // results.
                    // Source: compilers write `BSSY B6` directly after `BMOV.32.CLEAR R25, B6`, in code for `sm_70`.
                    RegisterFile::Barrier => [None; SCOREBOARDS],
                    _ => write,
                };
                self.add(touch(access, number, Event::written(at), signals));
            }
        }
        self.start_uniform(at, inst, touch);
        if class.is_some_and(|class| !class.latency.is_fixed()) || read != write {
            for access in program.reads(inst).iter().filter(|access| is_read_late(access.register)) {
                let written = program.writes(inst).iter().any(|write| write.register == access.register);
                if let Some(number) = self.registers.number(access.register).filter(|_| !written) {
                    self.add_read(touch(access, number, Event::read(at), read), class);
                }
            }
        }
    }

    /// Adds the uniform registers that an instruction reads at a fixed time after its issue. A jump is
    /// skipped: the next instruction issues once the jump is resolved, and the jump's registers are read by
    /// then.
    /// Source: compilers write the register of `BRA.DIV` and `BRA.CONV` two instructions after it, in code for `sm_80`.
    fn start_uniform(
        &mut self,
        at: u32,
        inst: &Inst,
        touch: impl Fn(&Access, usize, Event, [Option<Signal>; SCOREBOARDS]) -> InFlightAccess,
    ) {
        if matches!(inst.flow, Flow::Branch | Flow::IndirectBranch) {
            return;
        }
        for access in self.program.reads(inst).iter().filter(|access| is_read_in_time(access.register)) {
            if let Some(number) = self.registers.number(access.register) {
                self.add(touch(access, number, Event::read(at), [None; SCOREBOARDS]));
            }
        }
    }

    /// Adds an operation's scoreboards to earlier accesses in the same queue, which end before the operation.
    fn line_up(
        &mut self,
        class: Option<&Class>,
        write: &[Option<Signal>; SCOREBOARDS],
        read: &[Option<Signal>; SCOREBOARDS],
    ) {
        let Some(class) = class else { return };
        let (program, touches) = (self.program, &mut self.touches);
        self.lined_up.retain(|&index| touches[index as usize].register != OVER);
        for (scoreboard, signal) in read.iter().enumerate().filter(|(_, signal)| signal.is_some()) {
            for &index in &self.lined_up {
                let touch = &mut touches[index as usize];
                let is_read = touch.event.is_read();
                let is_before = touch.signals[scoreboard].is_none()
                    && (is_read || write[scoreboard].is_some())
                    && class_of(program, touch.event.inst())
                        .is_some_and(|before| share_line(before, class, is_read));
                if is_before {
                    touch.signals[scoreboard] = *signal;
                    self.scoreboards.count(scoreboard as u8, index);
                }
            }
        }
    }

    /// Adds a read. The read replaces earlier reads in the same in-order queue, because the new read ends
    /// last.
    fn add_read(&mut self, read: InFlightAccess, class: Option<&Class>) {
        let (touches, program) = (&mut self.touches, self.program);
        self.by_register.list_mut(read.register, true).retain(|&index| {
            let touch = &mut touches[index as usize];
            let is_before = touch.register != OVER
                && class_of(program, touch.event.inst())
                    .zip(class)
                    .is_some_and(|(before, class)| share_line(before, class, true));
            if is_before {
                touch.register = OVER;
            }
            !is_before
        });
        self.add(read);
    }

    /// Returns the accesses in flight on the edge from the block walked last to `next`. Cycles are counted from
    /// this edge.
    fn leave(&self, block: u32, next: u32) -> Vec<InFlightAccess> {
        let program = self.program;
        let last = program.blocks[block as usize].instructions.end - 1;
        let inst = &program.instructions[last as usize];
        if inst.flow == Flow::Call {
            return Vec::new();
        }
        let excluded = excluded(program, inst, block, next);
        let mut leaving = Vec::new();
        for (_, &index) in self.by_register.all() {
            let mut touch = self.touches[index as usize];
            let since = self.clock.since(touch.issued);
            let is_gone = touch.register == OVER
                || is_fixed_touch(&touch, program) && since > WINDOW as i32
                || touch.excludes(excluded);
            if is_gone {
                continue;
            }
            touch.issued = (-since).max(-FORGOTTEN);
            touch.waits = (touch.waits - self.waits).max(-FORGOTTEN);
            for (signal, count) in touch.signals.iter_mut().zip(self.counts) {
                if let Some(signal) = signal {
                    signal.issued = (signal.issued - self.clock.now()).max(-FORGOTTEN);
                    signal.ordinal = (signal.ordinal - count).max(-FORGOTTEN);
                }
            }
            leaving.push(touch);
        }
        leaving.sort_unstable_by_key(in_flight::InFlight::key);
        // Accesses from several iterations of a loop become equal once all have reached the limit.
        leaving.dedup();
        leaving
    }
}

impl Walker for Walk<'_> {
    type InFlight = InFlightAccess;

    fn pass(&mut self, block: u32, start: &[InFlightAccess]) {
        self.block(block, start, |_| {});
    }

    fn leaving(&self, from: u32, to: u32) -> Cow<'_, [InFlightAccess]> {
        self.leave(from, to).into()
    }
}

/// Number of cycles or operations beyond which all accesses count as equally far away, so that loops reach a
/// fixed point.
const FORGOTTEN: i32 = 1 << 10; // limit: loops must stop counting on

/// True if an access ends a fixed time after its issue, without a scoreboard.
fn is_fixed_touch(touch: &InFlightAccess, program: &Program) -> bool {
    let is_fixed = class_of(program, touch.event.inst()).is_none_or(|class| class.latency.is_fixed());
    !touch.is_signalled() && if touch.event.is_read() { touch.is_uniform } else { is_fixed }
}

fn waits_for_all(program: &Program, inst: &Inst) -> bool {
    inst.class.is_some_and(|class| program.arch.class(class).has(ClassTrait::Drains))
}

fn class_of(program: &Program, inst: u32) -> Option<&Class> {
    program.instructions[inst as usize].class.map(|class| program.arch.class(class))
}

/// Returns the guard that is true on the edge from `block` to `next`: the guard of `inst`, the block's last
/// instruction, or its negation. `None` if both outcomes of `inst` lead to `next`, and if `inst` is not a guarded
/// branch or exit.
fn excluded(program: &Program, inst: &Inst, block: u32, next: u32) -> Option<Guard> {
    let guard = inst.guard?;
    if !matches!(inst.flow, Flow::Branch | Flow::Exit) {
        return None;
    }
    let taken = inst.target.map(|target| program.instructions[target as usize].block);
    let falls = block + 1;
    match (taken == Some(next), falls == next) {
        (true, false) => Some(guard),
        (false, true) => Some(Guard { negated: !guard.negated, ..guard }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn rounds_of_a_loop_leave_one_touch_each_way() {
        // Nothing ends the load of an iteration: the next one runs under another value of its guard.
        let program = fixture::decode(
            90,
            &["@P0 LDG.E R1, [R2.64]", "ISETP.NE.AND P0, PT, R3, R4, PT", "@P1 BRA 0x0", "EXIT"],
        );
        let starts = Walk::new(&program, Time::Stalls).starts();
        let largest = starts.iter().map(Vec::len).max();
        assert!(largest <= Some(8), "{largest:?} accesses at the start of a block");
    }
}
