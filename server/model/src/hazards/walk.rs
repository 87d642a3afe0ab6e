//! Follows what is under way along control flow.

use super::elapsed::{Clock, Time, least_wait};
use super::implied::{Implied, leaves};
use super::pair::{Order, Pair};
use super::pair::{is_read_in_time, is_read_late};
use super::touch::{Signal, Touch, join, order};
use crate::dataflow::Registers;
use crate::flow::{Analysis, Direction, solve};
use crate::{Access, Guard, Inst, Program, Register, RegisterFile};
use machine::{Class, ClassTrait, Flow, Hardware};

/// Follows every way through a program and shows `take` each pair of instructions that touch a register, the first of
/// which is not known to be over when the second issues.
///
/// A write by a fixed latency counts for `window` cycles; one by a variable latency, and a late read, until a wait on its
/// scoreboard. What a call does is not followed: behind it nothing is under way. Time and memory are about linear.
///
/// `time`: what counts as cycles between the two.
pub(super) fn walk(program: &Program, window: u32, time: Time, mut take: impl FnMut(Pair)) {
    let mut walker = Walker::new(program, window, time);
    let mut entries = vec![Vec::new(); program.blocks.len()];
    solve(&program.flow, Direction::Forward, &mut walker, &mut entries);
    for (block, entry) in entries.iter().enumerate() {
        walker.block(block as u32, entry, &mut take);
    }
}

struct Walker<'a> {
    program: &'a Program,
    registers: Registers,
    window: i32,
    /// Cycles until a wait sees a scoreboard, and those that a wait for all takes; see [`Hardware`].
    visible: i32,
    drained: i32,
    clock: Clock,
    /// Instructions with waits in this block so far.
    waits: i32,
    touches: Vec<Touch>,
    /// Touches under way, by register.
    of_register: Vec<Vec<u32>>,
    /// Registers whose list is not empty.
    touched: Vec<u32>,
    /// Touches that a scoreboard ends, by scoreboard; some are over.
    of_scoreboard: [Vec<u32>; 6],
    /// Operations that have set each scoreboard in this block.
    counts: [i32; 6],
    /// Touches with a guard.
    guarded: Vec<u32>,
    implied: Implied,
    /// Touches of instructions that wait in a line; some are over.
    lined_up: Vec<u32>,
}

/// Marks a touch that is over.
const OVER: u32 = u32::MAX;

impl<'a> Walker<'a> {
    fn new(program: &'a Program, window: u32, time: Time) -> Self {
        let window = window.try_into().unwrap_or(i32::MAX);
        let registers = Registers::of(program, std::iter::empty());
        let hardware = Hardware::builtin();
        Self {
            program,
            window,
            visible: hardware.scoreboard_visible.value as i32,
            drained: hardware.drained.value as i32,
            clock: Clock::new(time, window),
            waits: 0,
            touches: Vec::new(),
            of_register: vec![Vec::new(); registers.len()],
            touched: Vec::new(),
            of_scoreboard: Default::default(),
            counts: [0; 6],
            guarded: Vec::new(),
            implied: Implied::default(),
            lined_up: Vec::new(),
            registers,
        }
    }

    fn block(&mut self, block: u32, entry: &[Touch], mut take: impl FnMut(Pair)) {
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
        for register in self.touched.drain(..) {
            self.of_register[register as usize].clear();
        }
        for list in &mut self.of_scoreboard {
            list.clear();
        }
        self.counts = [0; 6];
        self.guarded.clear();
        self.implied.clear();
        self.lined_up.clear();
    }

    fn add(&mut self, touch: Touch) {
        let at = self.touches.len() as u32;
        let list = &mut self.of_register[touch.register as usize];
        if list.is_empty() {
            self.touched.push(touch.register);
        }
        list.push(at);
        for (list, signal) in self.of_scoreboard.iter_mut().zip(touch.signals) {
            if signal.is_some() {
                list.push(at);
            }
        }
        if touch.guards().next().is_some() {
            self.guarded.push(at);
        }
        let class = class_of(self.program, touch.inst);
        let stands = |class: &Class| class.queue.is_some() || class.returns.is_some();
        if class.is_some_and(|class| !class.latency.is_fixed() && stands(class)) {
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
            self.meet(at, inst, *access, false, take);
        }
        for access in program.writes(inst) {
            self.meet(at, inst, *access, true, take);
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

    /// Ends what the instruction's waits end.
    fn wait(&mut self, at: u32, inst: &Inst) {
        let mask = inst.control.map_or(0, |control| control.wait_mask);
        self.waits += i32::from(mask != 0 || self.program.counted_wait(at).is_some());
        for scoreboard in 0..6_u8 {
            if mask >> scoreboard & 1 == 1 {
                self.settle(scoreboard, 0, self.visible);
            }
        }
        // `DEPBAR` looks at the scoreboards later than its issue: it sees what the one that it is paired with sets.
        if let Some(wait) = self.program.counted_wait(at) {
            self.settle(wait.scoreboard, wait.at_most, 0);
            for scoreboard in 0..6_u8 {
                if wait.also >> scoreboard & 1 == 1 {
                    self.settle(scoreboard, 0, 0);
                }
            }
        }
    }

    /// A barrier that blocks at once lets nothing on until the memory instructions before it have read their registers, and
    /// neither does what waits for all that is under way.
    /// Source: compilers overwrite those behind it without a wait, in code for `sm_75`; `DEFER_BLOCKING` is the other kind.
    /// Behind `MEMBAR` with stall count 0 they do so in code for `sm_50`.
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
            let class = (touch.register != OVER).then(|| class_of(self.program, touch.inst)).flatten();
            if !touch.writes && class.is_some_and(|class| class.queue.is_some()) {
                touch.register = OVER;
            }
        }
    }

    /// Waits until at most so many operations of a scoreboard are pending; those set `visible` cycles ago are seen.
    fn settle(&mut self, scoreboard: u8, at_most: u32, visible: i32) {
        let count = self.counts[usize::from(scoreboard)];
        let at_most = i32::try_from(at_most).unwrap_or(i32::MAX);
        let now = self.clock.now();
        let (touches, clock) = (&mut self.touches, &mut self.clock);
        self.of_scoreboard[usize::from(scoreboard)].retain(|&index| {
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

    /// Shows the pairs that an access makes with what is under way.
    fn meet(&mut self, at: u32, inst: &Inst, access: Access, writes: bool, take: &mut impl FnMut(Pair)) {
        let Some(number) = self.registers.number(access.register) else { return };
        let (touches, clock, window, program) = (&self.touches, &self.clock, self.window, self.program);
        let waits = self.waits;
        self.of_register[number].retain(|&index| {
            let touch = &touches[index as usize];
            if touch.register == OVER {
                return false;
            }
            let cycles = clock.since(touch.issued);
            if is_fixed_touch(touch, program) && cycles > window {
                return false;
            }
            // Guards alone say it where both still mean the same predicate's value.
            if (touch.writes || writes) && !touch.excludes(inst.guard) {
                let order = match (touch.writes, writes) {
                    (true, false) => Order::ReadAfterWrite,
                    (true, true) => Order::WriteAfterWrite,
                    (false, _) => Order::WriteAfterRead,
                };
                take(Pair {
                    first: touch.inst,
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

    /// A write ends what was under way for its register: it was shown.
    fn overwrite(&mut self, inst: &Inst, register: Register) {
        let Some(number) = self.registers.number(register) else { return };
        let touches = &mut self.touches;
        self.of_register[number].retain(|&index| {
            let touch = &mut touches[index as usize];
            if inst.guard.is_none() || touch.guard == inst.guard {
                touch.register = OVER;
            }
            touch.register != OVER
        });
        if matches!(register.file, RegisterFile::Predicate | RegisterFile::UniformPredicate) {
            self.guarded.retain(|&index| {
                let touch = &mut touches[index as usize];
                for guard in std::iter::once(&mut touch.guard).chain(&mut touch.implied) {
                    *guard = guard.filter(|guard| guard.predicate != register);
                }
                touch.guards().next().is_some()
            });
        }
    }

    /// Puts an instruction's own touches under way.
    fn start(&mut self, at: u32, inst: &Inst) {
        let program = self.program;
        let class = class_of(program, at);
        let mut write = [None; 6];
        let mut read = [None; 6];
        if let Some(control) = inst.control {
            // A result is there after the registers were read, so the write barrier says both.
            let both = control.write_barrier.map(|scoreboard| (scoreboard, true));
            for (scoreboard, is_write) in
                control.read_barrier.map(|scoreboard| (scoreboard, false)).into_iter().chain(both)
            {
                let scoreboard = usize::from(scoreboard);
                let least = least_wait(inst, class, is_write, program.arch.sm);
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
        let writes_guard =
            |guard: Guard| program.writes(inst).iter().any(|access| access.register == guard.predicate);
        let guard = inst.guard.filter(|&guard| !writes_guard(guard));
        let implied =
            self.implied.by(inst.guard).map(|implied| implied.filter(|&implied| !writes_guard(implied)));
        let (issued, waits) = (self.clock.now(), self.waits);
        let touch = |access: &Access, register: usize, writes: bool, signals| Touch {
            register: register as u32,
            inst: at,
            writes,
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
                    // A predicate says what kind of address it was, and is there with the reads.
                    RegisterFile::Predicate => read,
                    // Convergence barriers change in the order of the text, whatever a scoreboard says of other results.
                    // Source: compilers write `BSSY B6` right behind `BMOV.32.CLEAR R25, B6`, in code for `sm_70`.
                    RegisterFile::Barrier => [None; 6],
                    _ => write,
                };
                self.add(touch(access, number, true, signals));
            }
        }
        self.start_uniform(inst, touch);
        if class.is_some_and(|class| !class.latency.is_fixed()) || read != write {
            for access in program.reads(inst).iter().filter(|access| is_read_late(access.register)) {
                let written = program.writes(inst).iter().any(|write| write.register == access.register);
                if let Some(number) = self.registers.number(access.register).filter(|_| !written) {
                    self.add_read(touch(access, number, false, read), class);
                }
            }
        }
    }

    /// Puts the uniform registers under way that an instruction reads: they are read at a fixed time behind its issue. What
    /// follows a jump issues once that is decided, and with it read.
    /// Source: compilers write the register of `BRA.DIV` and `BRA.CONV` two instructions behind it, in code for `sm_80`.
    fn start_uniform(
        &mut self,
        inst: &Inst,
        touch: impl Fn(&Access, usize, bool, [Option<Signal>; 6]) -> Touch,
    ) {
        if matches!(inst.flow, Flow::Branch | Flow::IndirectBranch) {
            return;
        }
        for access in self.program.reads(inst).iter().filter(|access| is_read_in_time(access.register)) {
            if let Some(number) = self.registers.number(access.register) {
                self.add(touch(access, number, false, [None; 6]));
            }
        }
    }

    /// Gives the touches that stand in line before an operation its scoreboards, too: it ends after them.
    fn line_up(&mut self, class: Option<&Class>, write: &[Option<Signal>; 6], read: &[Option<Signal>; 6]) {
        let Some(class) = class else { return };
        let (program, touches) = (self.program, &mut self.touches);
        self.lined_up.retain(|&index| touches[index as usize].register != OVER);
        for (scoreboard, signal) in read.iter().enumerate().filter(|(_, signal)| signal.is_some()) {
            for &index in &self.lined_up {
                let touch = &mut touches[index as usize];
                let Some(before) =
                    class_of(program, touch.inst).filter(|_| touch.signals[scoreboard].is_none())
                else {
                    continue;
                };
                let is_before = if touch.writes {
                    write[scoreboard].is_some() && class.returns.is_some() && before.returns == class.returns
                } else {
                    class.queue.is_some() && before.queue == class.queue
                };
                if is_before {
                    touch.signals[scoreboard] = *signal;
                    self.of_scoreboard[scoreboard].push(index);
                }
            }
        }
    }

    /// Adds a read; the last one of those that stand in one line ends last.
    fn add_read(&mut self, read: Touch, class: Option<&Class>) {
        let (touches, program) = (&mut self.touches, self.program);
        let queue = class.and_then(|class| class.queue);
        self.of_register[read.register as usize].retain(|&index| {
            let touch = &mut touches[index as usize];
            let is_before = touch.register != OVER
                && !touch.writes
                && queue.is_some()
                && class_of(program, touch.inst).is_some_and(|class| class.queue == queue);
            if is_before {
                touch.register = OVER;
            }
            !is_before
        });
        self.add(read);
    }

    /// Returns what is under way on the edge from a block, just walked, to another: clocks and counts start there.
    fn leaving(&self, block: u32, next: u32) -> Vec<Touch> {
        let program = self.program;
        let last = program.blocks[block as usize].instructions.end - 1;
        let inst = &program.instructions[last as usize];
        if inst.flow == Flow::Call {
            return Vec::new();
        }
        let excluded = excluded(program, inst, block, next);
        let mut leaving = Vec::new();
        for &register in &self.touched {
            for &index in &self.of_register[register as usize] {
                let mut touch = self.touches[index as usize];
                let since = self.clock.since(touch.issued);
                let is_gone = touch.register == OVER
                    || is_fixed_touch(&touch, program) && since > self.window
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
        }
        order(&mut leaving);
        // A register may stand in the list of touched ones twice.
        leaving.dedup();
        leaving
    }
}

impl Analysis for Walker<'_> {
    type State = Vec<Touch>;

    fn transfer(&mut self, block: u32, state: &Vec<Touch>) {
        self.block(block, state, |_| {});
    }

    fn join(&mut self, block: u32, next: u32, state: &mut Vec<Touch>) -> bool {
        join(state, &self.leaving(block, next))
    }
}

/// Beyond so many cycles or operations a touch is as far away as can be: it keeps loops from counting on.
const FORGOTTEN: i32 = 1 << 10;

/// Whether a touch is over after some cycles by itself.
fn is_fixed_touch(touch: &Touch, program: &Program) -> bool {
    let is_fixed = class_of(program, touch.inst).is_none_or(|class| class.latency.is_fixed());
    !touch.is_signalled() && if touch.writes { is_fixed } else { touch.is_uniform }
}

fn waits_for_all(program: &Program, inst: &Inst) -> bool {
    inst.class.is_some_and(|class| program.arch.class(class).has(ClassTrait::Drains))
}

fn class_of(program: &Program, inst: u32) -> Option<&Class> {
    program.instructions[inst as usize].class.map(|class| program.arch.class(class))
}

/// Returns the guard that holds on an edge which only one outcome of a block's last instruction takes; `None` for
/// others.
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
