//! Follows control flow to find the events that instructions wait for, and the cycles between instructions.

use super::effects::{Effects, HIDDEN_ORDERS};
use super::flow::{Edges, drains, issues_pairs, least_stall, leaves, releases_registers};
use super::order::spacing;
use super::products::{self, Products};
use super::register_accesses::RegisterAccesses;
use crate::hazards::{Need, Needs, Order};
use crate::in_flight::{ByRegister, Event, InFlight, Scoreboards, WINDOW, Walker, follow, line, named};
use crate::{Control, Inst, Program, Register};
use machine::{FunctionUnit, InOrder};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeSet;
use syntax::stop;

/// [`WINDOW`] in the type of a block's clock.
const HORIZON: i64 = WINDOW as i64; // limit: that of the window

/// An access in flight at a block's start or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Number of the register in [`RegisterAccesses`]; higher numbers denote hidden orders.
    register: u32,
    event: Event,
    /// Cycles since the issue.
    since: i64,
}

impl InFlight for Entry {
    fn key(&self) -> (u32, Event) {
        (self.register, self.event)
    }

    /// Merges the states of one access on two paths: keeps the later issue.
    fn join(&self, other: &Self) -> Self {
        Self { since: self.since.min(other.since), ..*self }
    }
}

/// A memoised pass through a block. The same state at the start leads to the same state at the end, until a
/// stall count of the block changes, or another instruction becomes ordered by scoreboards.
#[derive(Debug, Clone)]
struct MemoisedPass {
    start: Vec<Entry>,
    end: Vec<Entry>,
    /// Value of [`Walk::late_count`] at the time of the pass.
    late_count: usize,
    /// True if every distance was kept with the stall counts of the pass.
    is_settled: bool,
}

/// Maximum number of memoised passes through a block. Few different states reach a block.
const MAX_PASSED: usize = 4; // limit: time

/// Assignment of scoreboards to events.
#[derive(Debug, Clone)]
pub(super) enum ScoreboardAssignment {
    /// Each event has its own scoreboard.
    Separate,
    /// The scoreboard of each event, by [`Event::index`].
    Given(Vec<Option<u8>>),
}

/// Earliest issue cycle of an instruction.
#[derive(Debug, Clone, Copy)]
struct EarliestIssue {
    at: i64,
    /// Register number and event that determine the cycle; `None` if no access delays the instruction.
    from: Option<(u32, Event)>,
}

/// Memoised [`Need`] of an instruction after an earlier instruction, for one register number.
#[derive(Debug, Clone, Copy)]
struct MemoisedNeed {
    before: u32,
    register: u32,
    order: Order,
    need: Need,
}

/// Maximum number of memoised needs of one instruction. The time of a look-up is proportional to this number.
const MAX_KNOWN: usize = 16; // limit: time

/// A kernel, and its properties that do not depend on the chosen codes.
pub(super) struct Site<'a> {
    pub program: &'a Program,
    pub needs: &'a Needs<'a>,
    pub touches: &'a RegisterAccesses,
    pub edges: &'a Edges,
    pub effects: &'a [Effects],
    pub products: &'a Products,
    /// Maximum stall count, in cycles, that a control code can encode.
    pub most: u32,
    /// Cycles to keep between successive instructions of a queue.
    pub spacing: &'a [(InOrder, u32)],
    /// Returns the code of an instruction that keeps its code; `None` for other instructions.
    pub kept: &'a dyn Fn(u32) -> Option<Control>,
}

/// A kernel whose stall counts grow until every distance is kept.
pub(super) struct Walk<'a> {
    site: &'a Site<'a>,
    /// Stall count of each instruction, in cycles.
    pub stalls: Vec<u32>,
    assignment: ScoreboardAssignment,
    /// True for each instruction that later instructions must wait for on a scoreboard.
    late: Vec<bool>,
    /// Number of instructions marked in `late` during the walk.
    late_count: usize,
    /// Accesses in flight at the start of each block.
    starts: Vec<Vec<Entry>>,
    /// Accesses in flight at the end of each block.
    ends: Vec<Vec<Entry>>,
    /// Memoised passes through each block with the current stall counts.
    passed: Vec<Vec<MemoisedPass>>,
    /// Pairs that no stall count can keep apart.
    pub too_close: Vec<(u32, u32)>,
    state: State,
    /// Memoised needs of each instruction after earlier instructions. They are used in every pass and costly
    /// to find.
    known: Vec<SmallVec<[MemoisedNeed; 4]>>,
    /// Scratch buffer for the needs of one instruction.
    found: Vec<(u32, Event, Need)>,
}

/// Events in one in-order queue, by the cycle in which each issued.
type Queue = BTreeSet<(i64, Event)>;

/// State of a walk within a block.
struct State {
    /// Events in flight, by register.
    by_register: ByRegister<Event>,
    pending: Vec<bool>,
    /// Events that were pending at some time in the block.
    started: Vec<Event>,
    /// Events that each scoreboard counts.
    scoreboards: Scoreboards<Event>,
    /// Issue cycle of each instruction; negative before the block.
    times: Vec<i64>,
    /// In-order queues, first for results, then for reads. Each queue is sorted by the last known issue
    /// cycle; an issue may have moved since.
    queued: [Vec<(InOrder, Queue)>; 2],
    /// The queue that holds each event, by [`Event::index`]. `None` for an event in no queue, and for an
    /// event of a guarded instruction, which may never have entered the queue.
    lines: Vec<Option<InOrder>>,
    /// The last instruction that each pipe accepted in this block.
    last: Vec<Option<u32>>,
}

/// Returns the queues that an instruction enters: one until its results are written, and one until its sources are
/// read.
fn lines(program: &Program, inst: &Inst) -> [Option<InOrder>; 2] {
    let class = inst.class.filter(|_| inst.guard.is_none()).map(|class| program.arch.class(class));
    let class = class.filter(|class| !class.latency.is_fixed());
    [false, true].map(|is_read| class.and_then(|class| line(class, is_read)))
}

impl State {
    fn push(&mut self, register: u32, event: Event) {
        self.by_register.push(register, event.is_read(), event);
    }

    fn forget(&mut self, register: u32, event: Event) {
        self.by_register.list_mut(register, event.is_read()).retain(|&other| other != event);
    }

    fn start(&mut self, event: Event, assignment: &ScoreboardAssignment) {
        if std::mem::replace(&mut self.pending[event.index()], true) {
            return;
        }
        self.started.push(event);
        if let Some(line) = self.lines[event.index()] {
            let issued = self.times[event.inst() as usize];
            let lines = &mut self.queued[usize::from(event.is_read())];
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, queue)) => drop(queue.insert((issued, event))),
                None => lines.push((line, BTreeSet::from([(issued, event)]))),
            }
        }
        if let ScoreboardAssignment::Given(boards) = assignment
            && let Some(board) = boards[event.index()]
        {
            self.scoreboards.count(board, event);
        }
    }

    /// Marks an event as complete. A written result implies that the sources have been read. Each event
    /// implies the end of earlier events in its queue.
    fn done(&mut self, event: Event) {
        self.finish(event);
        if !event.is_read() {
            self.finish(Event::read(event.inst()));
        }
    }

    /// Marks one event as complete. If the event issued in this block, earlier events of its queue are
    /// complete too. A wait for an event from another block implies no other event.
    fn finish(&mut self, event: Event) {
        self.pending[event.index()] = false;
        let Some(line) = self.lines[event.index()] else { return };
        // The order of events before the block differs between the paths to it.
        let issued = self.times[event.inst() as usize];
        if issued < 0 {
            return;
        }
        let lines = &mut self.queued[usize::from(event.is_read())];
        let Some((_, queue)) = lines.iter_mut().find(|(known, _)| *known == line) else { return };
        // Events that left the queue are not visited again, so that time stays near linear in the block.
        while queue.first().is_some_and(|(first, _)| *first < issued) {
            let Some((_, other)) = queue.pop_first() else { return };
            let now = self.times[other.inst() as usize];
            if now < issued {
                self.pending[other.index()] = false;
            } else {
                queue.insert((now, other));
            }
        }
    }

    /// Waits in cycle `now` for the scoreboards in a mask.
    fn wait(&mut self, mask: u8, now: i64) {
        for board in named(mask) {
            for event in self.scoreboards.take(board) {
                if !self.pending[event.index()] {
                    continue;
                }
                if self.times[event.inst() as usize] + self.scoreboards.visible <= now {
                    self.done(event);
                } else {
                    self.scoreboards.count(board, event);
                }
            }
        }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(site: &'a Site<'a>) -> Self {
        let program = site.program;
        let arch = &program.arch;
        let fixed = |inst: u32| {
            let class = program.instructions[inst as usize].class;
            class.is_some_and(|class| arch.class(class).latency.is_fixed())
        };
        let is_late = |inst: u32| {
            (!fixed(inst) && !products::is_product(program, inst)) || site.needs.fetches_number(inst)
        };
        let count = program.instructions.len();
        let registers = site.touches.registers().len() + HIDDEN_ORDERS.len();
        Self {
            site,
            stalls: Vec::new(),
            assignment: ScoreboardAssignment::Separate,
            late: (0..count as u32).map(is_late).collect(),
            late_count: 0,
            starts: vec![Vec::new(); program.blocks.len()],
            ends: vec![Vec::new(); program.blocks.len()],
            passed: vec![Vec::new(); program.blocks.len()],
            too_close: Vec::new(),
            state: State {
                by_register: ByRegister::new(registers),
                pending: vec![false; 2 * count],
                started: Vec::new(),
                scoreboards: Scoreboards::new(),
                times: vec![0; count],
                queued: Default::default(),
                lines: program.instructions.iter().flat_map(|inst| lines(program, inst)).collect(),
                last: vec![None; arch.pipes.len()],
            },
            known: vec![SmallVec::new(); count],
            found: Vec::new(),
        }
    }

    /// Finds the minimum stall counts for this assignment of scoreboards, starting from `least`.
    pub(super) fn settle(&mut self, least: &[u32], assignment: ScoreboardAssignment) {
        self.stalls = least.to_vec();
        self.assignment = assignment;
        self.passed.iter_mut().for_each(Vec::clear);
        self.forget_states();
        let blocks = self.site.program.blocks.len();
        for block in 0..blocks {
            self.block_from_start(block, true, &mut |_, _| {});
        }
        loop {
            self.solve();
            let before = (self.stalls.clone(), self.late.clone());
            self.too_close.clear();
            for block in 0..blocks {
                if !self.passed_now(block, &self.starts[block]).is_some_and(|passed| passed.is_settled) {
                    self.block_from_start(block, true, &mut |_, _| {});
                }
            }
            if self.stalls == before.0 && self.late == before.1 {
                return;
            }
        }
    }

    /// Calls `reported` with each instruction that waits and each event that it waits for, under the current stall
    /// counts.
    pub(super) fn tell(&mut self, mut reported: impl FnMut(u32, Event)) {
        for block in 0..self.site.program.blocks.len() {
            self.block_from_start(block, false, &mut reported);
        }
    }

    /// Returns the events in flight at the start of a block that may be waited for, in ascending order.
    pub(super) fn in_flight(&self, block: u32) -> Vec<Event> {
        let entries = self.starts[block as usize].iter();
        let late = entries.filter(|entry| self.late[entry.event.inst() as usize]);
        let mut events: Vec<Event> = late.map(|entry| entry.event).collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// Returns the memoised pass through a block from this state at its start.
    fn passed_now(&self, block: usize, start: &[Entry]) -> Option<&MemoisedPass> {
        let is_it = |passed: &&MemoisedPass| passed.late_count == self.late_count && passed.start == start;
        self.passed[block].iter().find(is_it)
    }

    /// Records that only scoreboards order an instruction's results from now on.
    fn make_late(&mut self, inst: u32) {
        if !std::mem::replace(&mut self.late[inst as usize], true) {
            self.late_count += 1;
        }
    }

    fn forget_states(&mut self) {
        self.starts.iter_mut().chain(&mut self.ends).for_each(Vec::clear);
    }

    /// Propagates accesses in flight from block to block until a fixed point.
    fn solve(&mut self) {
        self.forget_states();
        let mut starts = std::mem::take(&mut self.starts);
        let graph = &self.site.edges.graph;
        follow(graph, self, &mut starts);
        self.starts = starts;
    }

    fn block_from_start(&mut self, block: usize, grow: bool, reported: &mut impl FnMut(u32, Event)) {
        let start = self.starts[block].clone();
        self.block(block, &start, grow, reported);
    }

    /// Walks a block and returns the accesses in flight at its end. If `grow` is true, increases stall counts that are
    /// too low.
    fn block(
        &mut self,
        block: usize,
        start: &[Entry],
        grow: bool,
        reported: &mut impl FnMut(u32, Event),
    ) -> Vec<Entry> {
        self.enter(start);
        let late_before = self.late_count;
        let mut is_settled = true;
        let mut now = 0;
        for inst in self.site.program.blocks[block].instructions.clone() {
            stop::check_at(inst as usize);
            let kept = (self.site.kept)(inst);
            let (due, waits) = self.asks(inst, now);
            for &event in &waits {
                reported(inst, event);
            }
            is_settled &= due.at <= now;
            if grow && due.at > now {
                now += self.delay(block, inst, due, now);
            }
            if let Some((first, free)) = self.pipe_free(inst).filter(|(_, free)| *free > now) {
                is_settled = false;
                if grow {
                    now = free - self.make_room(first, inst, free - now);
                }
            }
            match (&self.assignment, kept) {
                (ScoreboardAssignment::Given(_), Some(control)) => self.state.wait(control.wait_mask, now),
                (ScoreboardAssignment::Given(boards), None) => {
                    let mut mask = 0_u8;
                    for &event in &waits {
                        mask |= boards[event.index()].map_or(0, |board| 1 << board);
                    }
                    for event in waits {
                        self.state.done(event);
                    }
                    self.state.wait(mask, now);
                }
                (ScoreboardAssignment::Separate, _) => {
                    waits.into_iter().for_each(|event| self.state.done(event));
                }
            }
            self.issue(inst, now);
            if let Some((pipe, _)) = self.taken(inst) {
                self.state.last[pipe] = Some(inst);
            }
            now += i64::from(self.stalls[inst as usize]);
        }
        let end = self.leave(now);
        let is_repeatable = self.late_count == late_before && (is_settled || !grow);
        if is_repeatable && self.passed_now(block, start).is_none() {
            let passed = &mut self.passed[block];
            if passed.len() == MAX_PASSED {
                passed.remove(0);
            }
            let (start, late_count) = (start.to_vec(), self.late_count);
            passed.push(MemoisedPass { start, end: end.clone(), late_count, is_settled });
        }
        end
    }

    /// Returns the pipe that an instruction occupies, and the number of occupied cycles; `None` if no busy
    /// pipe delays its issue.
    fn taken(&self, inst: u32) -> Option<(usize, u32)> {
        let program = self.site.program;
        let class = program.arch.class(program.instructions[inst as usize].class?);
        if let Some(cycles) = spacing(self.site.spacing, class) {
            return Some((class.pipe, cycles));
        }
        let cycles = class.issue_cycles.value;
        let is_paced = !issues_pairs(program.arch.sm) && class.latency.is_fixed() && cycles <= self.site.most;
        is_paced.then_some((class.pipe, cycles))
    }

    /// Returns the instruction that occupies the pipe of `inst`, and the cycle in which the pipe is free. If `inst`
    /// issues sooner, it waits for the pipe and delays later instructions by the same time. A stall count that does not
    /// include this wait makes the warp pay the wait twice, in cycles that no other warp can use.
    fn pipe_free(&self, inst: u32) -> Option<(u32, i64)> {
        let (pipe, _) = self.taken(inst)?;
        let first = self.state.last[pipe]?;
        let (_, cycles) = self.taken(first)?;
        Some((first, self.state.times[first as usize] + i64::from(cycles)))
    }

    fn enter(&mut self, start: &[Entry]) {
        self.state.last.fill(None);
        for entry in start {
            self.state.times[entry.event.inst() as usize] = -HORIZON;
        }
        for &Entry { register, event, since } in start {
            let time = &mut self.state.times[event.inst() as usize];
            *time = (*time).max(-since);
            self.state.push(register, event);
            if self.late[event.inst() as usize] {
                self.state.start(event, &self.assignment);
            }
        }
    }

    /// Returns the earliest issue of an instruction, and the events that it waits for.
    fn asks(&mut self, inst: u32, now: i64) -> (EarliestIssue, SmallVec<[Event; 4]>) {
        let touches = self.site.touches;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for &register in touches.reads(inst) {
            self.needed(register, inst, Order::ReadAfterWrite, &mut found);
        }
        for &register in touches.writes(inst) {
            self.needed(register, inst, Order::WriteAfterWrite, &mut found);
            self.needed(register, inst, Order::WriteAfterRead, &mut found);
        }
        let takes = self.site.effects[inst as usize].takes;
        for (order, _) in takes.iter().enumerate().filter(|(_, takes)| **takes) {
            let register = touches.registers().len() + order;
            for &event in self.state.by_register.of_register(register as u32) {
                if let Some(before) = HIDDEN_ORDERS[order].distance() {
                    let cycles = least_stall(self.site.program, event.inst(), before).unwrap_or(1);
                    found.push((register as u32, event, Need::Cycles(cycles)));
                } else if self.state.pending[event.index()] {
                    found.push((register as u32, event, Need::Scoreboard));
                }
            }
        }
        if leaves(self.site.program, inst) || releases_registers(self.site.program, inst) {
            self.all(inst, &mut found);
        }
        for &register in self.site.products.registers(inst) {
            self.pending(register, &mut found);
        }
        let mut due = EarliestIssue { at: now, from: None };
        let mut waits = SmallVec::new();
        for &(register, event, need) in &found {
            let time = self.state.times[event.inst() as usize];
            let at = match need {
                Need::None => continue,
                Need::Cycles(cycles) => time + i64::from(cycles),
                Need::Scoreboard => {
                    self.make_late(event.inst());
                    if !waits.contains(&event) {
                        waits.push(event);
                    }
                    // An instruction that waits for everything in flight has also set its scoreboard when the next issues.
                    let visible = if drains(self.site.program, event.inst()) {
                        0
                    } else {
                        self.state.scoreboards.visible
                    };
                    time + visible
                }
            };
            if at > due.at {
                due = EarliestIssue { at, from: Some((register, event)) };
            }
        }
        self.found = found;
        (due, waits)
    }

    /// Adds to `found` each event that accessed `register` and is in flight, with the ordering that `inst` needs after it.
    fn needed(&mut self, register: u32, inst: u32, order: Order, found: &mut Vec<(u32, Event, Need)>) {
        let (program, needs) = (self.site.program, *self.site.needs);
        let name = self.site.touches.registers()[register as usize];
        let list = self.state.by_register.list(register, order == Order::WriteAfterRead);
        let known = &mut self.known[inst as usize];
        for &event in list {
            let before = event.inst();
            if !self.late[before as usize] || self.state.pending[event.index()] {
                let is_it = |known: &&MemoisedNeed| {
                    known.before == before && known.register == register && known.order == order
                };
                let need = if let Some(known) = known.iter().find(is_it) {
                    known.need
                } else {
                    let need = between(program, needs, (before, inst), name, order);
                    if known.len() < MAX_KNOWN {
                        known.push(MemoisedNeed { before, register, order, need });
                    }
                    need
                };
                found.push((register, event, need));
            }
        }
    }

    /// Adds to `found` all pending events, because unknown code that follows `inst` may depend on any of them.
    fn all(&self, inst: u32, found: &mut Vec<(u32, Event, Need)>) {
        let registers = self.site.touches.registers();
        for (register, &event) in self.state.by_register.all() {
            if !self.late[event.inst() as usize] || !self.state.pending[event.index()] {
                continue;
            }
            let order = if event.is_read() { Order::WriteAfterRead } else { Order::ReadAfterWrite };
            let need = match registers.get(register as usize) {
                Some(&name) => self.site.needs.between(event.inst(), inst, name, order),
                None => Need::Scoreboard,
            };
            found.push((register, event, need));
        }
    }

    /// Adds to `found` the pending accesses of a register; each needs a wait for its scoreboard.
    fn pending(&self, register: u32, found: &mut Vec<(u32, Event, Need)>) {
        for &event in self.state.by_register.of_register(register) {
            if self.late[event.inst() as usize] && self.state.pending[event.index()] {
                found.push((register, event, Need::Scoreboard));
            }
        }
    }

    /// Records the accesses of an instruction.
    fn issue(&mut self, inst: u32, now: i64) {
        let touches = self.site.touches;
        let own = &self.site.program.instructions[inst as usize];
        let late = self.late[inst as usize];
        self.state.times[inst as usize] = now;
        for &register in touches.writes(inst) {
            if own.guard.is_none() {
                self.state.by_register.list_mut(register, false).clear();
                self.state.by_register.list_mut(register, true).clear();
            } else {
                self.state.forget(register, Event::written(inst));
            }
        }
        for &register in touches.reads(inst) {
            if late {
                if self.state.pending[Event::read(inst).index()] {
                    self.state.forget(register, Event::read(inst));
                }
            } else {
                // A write far enough after the newest read of a class is far enough after the older ones.
                let (late, instructions) = (&self.late, &self.site.program.instructions);
                self.state.by_register.list_mut(register, true).retain(|event| {
                    let other = event.inst() as usize;
                    late[other] || instructions[other].class != own.class
                });
            }
            self.state.push(register, Event::read(inst));
        }
        for &register in touches.writes(inst) {
            self.state.push(register, Event::written(inst));
        }
        if late {
            if !touches.reads(inst).is_empty() {
                self.state.start(Event::read(inst), &self.assignment);
            }
            if !touches.writes(inst).is_empty() {
                self.state.start(Event::written(inst), &self.assignment);
            }
        }
        for (order, event) in self.site.effects[inst as usize].gives.into_iter().enumerate() {
            let Some(event) = event else { continue };
            let register = (touches.registers().len() + order) as u32;
            self.state.forget(register, event);
            self.state.push(register, event);
            if HIDDEN_ORDERS[order].distance().is_none() {
                self.make_late(inst);
                self.state.start(event, &self.assignment);
            }
        }
    }

    /// Ends a block: returns the accesses in flight, and resets the state.
    fn leave(&mut self, now: i64) -> Vec<Entry> {
        let mut out = Vec::new();
        let state = &mut self.state;
        for (register, &event) in state.by_register.all() {
            let since = now - state.times[event.inst() as usize];
            let is_late = self.late[event.inst() as usize];
            let stays = if is_late { state.pending[event.index()] } else { since < HORIZON };
            if stays {
                out.push(Entry { register, event, since: since.min(HORIZON) });
            }
        }
        state.by_register.clear();
        for event in state.started.drain(..) {
            state.pending[event.index()] = false;
        }
        state.queued.iter_mut().for_each(Vec::clear);
        state.scoreboards.clear();
        out.sort_unstable_by_key(InFlight::key);
        out.dedup();
        out
    }

    /// Delays an instruction to its due cycle. Returns the number of cycles by which the instruction issues
    /// later.
    fn delay(&mut self, block: usize, inst: u32, due: EarliestIssue, now: i64) -> i64 {
        let Some((register, event)) = due.from else { return 0 };
        let range = self.site.program.blocks[block].instructions.clone();
        let own = range.contains(&event.inst()) && event.inst() < inst;
        if !own && (inst == range.start || self.only_from_outside(block, register, event, due.at - now)) {
            self.delay_before(block, inst, register, event, due.at - now);
            return 0;
        }
        let first = if own { event.inst() } else { range.start };
        let left = self.make_room(first, inst, due.at - now);
        if left > 0 && own {
            self.too_close.push((event.inst(), inst));
        } else if left > 0 {
            self.delay_before(block, inst, register, event, left);
        }
        due.at - now - left
    }

    /// Delays an instruction by `cycles` cycles, through the stall counts of `first` and later instructions.
    /// Returns the cycles that could not be added.
    fn make_room(&mut self, first: u32, inst: u32, cycles: i64) -> i64 {
        let mut left = cycles;
        for before in (first..inst).rev() {
            let more = self.lengthen(before, left);
            for later in before + 1..inst {
                self.state.times[later as usize] += more;
            }
            left -= more;
            if left == 0 {
                break;
            }
        }
        left
    }

    /// Adds up to `cycles` cycles to a stall count. Returns the number of added cycles.
    fn lengthen(&mut self, inst: u32, cycles: i64) -> i64 {
        if (self.site.kept)(inst).is_some() || drains(self.site.program, inst) {
            return 0;
        }
        let stall = &mut self.stalls[inst as usize];
        let more = cycles.min(i64::from(self.site.most.saturating_sub(*stall))).max(0);
        *stall += more as u32;
        if more > 0 {
            self.passed[self.site.program.instructions[inst as usize].block as usize].clear();
        }
        more
    }

    /// Returns the number of cycles by which an event that comes from the predecessor `before` is too recent. `most` is
    /// this number for the predecessor from which the event is most recent. `None` if the event is old enough.
    fn missing(&self, block: usize, before: u32, register: u32, event: Event, most: i64) -> Option<i64> {
        let find = |entries: &[Entry]| {
            let at = entries.binary_search_by_key(&(register, event), InFlight::key);
            at.ok().map(|at| entries[at].since)
        };
        let least = find(&self.starts[block])?;
        let since = find(&self.ends[before as usize])?;
        let missing = most - (since - least);
        (missing > 0).then_some(missing)
    }

    /// True if every predecessor in which the event is too recent has a lower loop depth than this block.
    fn only_from_outside(&self, block: usize, register: u32, event: Event, most: i64) -> bool {
        let edges = self.site.edges;
        let depth = edges.depth[block];
        let mut bringing = edges
            .graph
            .predecessors(block as u32)
            .iter()
            .filter(|&&before| self.missing(block, before, register, event, most).is_some())
            .peekable();
        bringing.peek().is_some() && bringing.all(|&before| edges.depth[before as usize] < depth)
    }

    /// Lengthens the ends of the predecessors in which the event is too recent.
    fn delay_before(&mut self, block: usize, inst: u32, register: u32, event: Event, most: i64) {
        let edges = self.site.edges;
        let mut found = false;
        for &before in edges.graph.predecessors(block as u32) {
            let Some(missing) = self.missing(block, before, register, event, most) else { continue };
            found = true;
            let range = self.site.program.blocks[before as usize].instructions.clone();
            let first = if range.contains(&event.inst()) { event.inst() } else { range.start };
            let mut left = missing;
            for inst in (first..range.end).rev() {
                left -= self.lengthen(inst, left);
                if left == 0 {
                    break;
                }
            }
            found &= left < missing;
        }
        if !found {
            self.too_close.push((event.inst(), inst));
        }
    }
}

impl Walker for Walk<'_> {
    type InFlight = Entry;

    fn pass(&mut self, block: u32, start: &[Entry]) {
        let block = block as usize;
        let known = self.passed_now(block, start).map(|passed| passed.end.clone());
        self.ends[block] = known.unwrap_or_else(|| self.block(block, start, false, &mut |_, _| {}));
    }

    fn leaving(&self, from: u32, _: u32) -> Cow<'_, [Entry]> {
        Cow::Borrowed(&self.ends[from as usize])
    }
}

/// Returns [`Needs::between`], relaxed for two writes by one class, whose results arrive in issue order.
///
/// The second write then needs only one cycle more than the pipe takes to accept it, although compilers rarely place two
/// writes so close together.
pub(super) fn between(
    program: &Program,
    needs: Needs,
    (first, second): (u32, u32),
    register: Register,
    order: Order,
) -> Need {
    let need = needs.between(first, second, register, order);
    let class = program.instructions[first as usize].class;
    match (need, class) {
        (Need::Cycles(cycles), Some(class))
            if order == Order::WriteAfterWrite
                && program.instructions[second as usize].class == Some(class)
                && program.arch.unit_of(class).is_some_and(|unit| unit.kind == FunctionUnit::Sp) =>
        {
            Need::Cycles(cycles.min(program.arch.class(class).issue_cycles.value + 1))
        }
        _ => need,
    }
}
