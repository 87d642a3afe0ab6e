//! Evaluates the code in two passes over all blocks. The first pass determines how much one iteration of each loop
//! adds to each register. The second pass computes addresses and trip counts.

use super::affine::Symbol;
use super::forms::{FormId, Forms, Value};
use super::loops::Loops;
use super::memory::FormReference;
use super::slots::{Slots, State};
use super::step::Machine;
use super::trips;
use crate::{Program, Register, RegisterFile};
use rustc_hash::FxHashMap;
use syntax::sass::Chunk;
use syntax::stop;

/// Result of the analysis: the addresses and loops of the code.
#[derive(Debug)]
pub(super) struct Outcome {
    pub forms: Forms,
    /// Memory references, by instruction index.
    pub accesses: FxHashMap<u32, FormReference>,
    /// Trip counts, by the last instruction of the loop's latch.
    pub trips: FxHashMap<u32, u32>,
}

/// Effect of one iteration of a loop on a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Change {
    /// Amount added to the register.
    adds: Option<FormId>,
    /// Amount added to the 64-bit pair of this register and the next.
    adds_pair: Option<FormId>,
}

/// Symbols that represent one register at a loop's head in the first pass.
#[derive(Debug, Clone, Copy)]
struct Head {
    /// Symbol of the register.
    value: FormId,
    /// Symbol of the 64-bit pair of this register and the next; `None` if this register's index is odd.
    pair: Option<FormId>,
}

struct Flow<'a> {
    machine: Machine<'a>,
    loops: &'a Loops,
    /// Symbols at loop heads, by loop and slot.
    heads: FxHashMap<(u32, usize), Head>,
    changes: FxHashMap<(u32, usize), Change>,
    /// True during the first pass over the blocks.
    is_first: bool,
    /// States at the ends of blocks with successors that have not been visited yet.
    ends: Vec<Option<State>>,
    waiting: Vec<u32>,
    /// Loops that all lanes leave together, each with the number of iterations before the exiting iteration; `None`
    /// if that number is unknown.
    left_together: FxHashMap<u32, Option<u32>>,
    after: FxHashMap<u32, FormId>,
    accesses: FxHashMap<u32, FormReference>,
    trips: FxHashMap<u32, u32>,
}

/// Evaluates the kernel's integer code.
pub(super) fn run(chunk: &Chunk, program: &Program) -> Outcome {
    let slots = Slots::collect(program);
    let loops = Loops::collect(program, &slots);
    let resources = &program.arch.resources;
    let mut forms =
        Forms::new(resources.max_threads_per_block.value, resources.warp_size, program.instructions.len());
    let machine = Machine { chunk, program, slots: &slots, forms: &mut forms };
    let mut flow = Flow {
        machine,
        loops: &loops,
        heads: FxHashMap::default(),
        changes: FxHashMap::default(),
        is_first: true,
        ends: Vec::new(),
        waiting: Vec::new(),
        left_together: FxHashMap::default(),
        after: FxHashMap::default(),
        accesses: FxHashMap::default(),
        trips: FxHashMap::default(),
    };
    if !loops.all.is_empty() {
        flow.over_all_blocks();
    }
    flow.is_first = false;
    flow.over_all_blocks();
    let (accesses, trips) = (flow.accesses, flow.trips);
    Outcome { forms, accesses, trips }
}

impl Flow<'_> {
    fn over_all_blocks(&mut self) {
        let program = self.machine.program;
        self.ends = vec![None; program.blocks.len()];
        let forward = |from: u32| {
            let next = program.flow.successors(from).iter();
            next.filter(|&&to| !self.loops.leads_back(from, to)).count() as u32
        };
        self.waiting = program.flow.blocks().map(forward).collect();
        let head_of: FxHashMap<u32, u32> =
            self.loops.all.iter().zip(0_u32..).map(|(own, number)| (own.head, number)).collect();
        let loops = self.loops;
        for &block in &loops.order {
            let mut state = self.entry(block);
            if let Some(&number) = head_of.get(&block) {
                self.enter(&mut state, number);
            }
            for at in program.blocks[block as usize].instructions.clone() {
                stop::check_at(at as usize);
                if !self.is_first
                    && program.instructions[at as usize].memory.is_some()
                    && let Some(access) = self.machine.access(&state, at as usize)
                {
                    self.accesses.insert(at, access);
                }
                self.machine.execute(&mut state, at as usize);
            }
            if let Some(called) = loops.called.get(&block) {
                for slot in called.ones() {
                    let register = self.machine.slots.register(slot);
                    self.machine.put(&mut state, register, Value::Unknown);
                }
            }
            if !self.is_first {
                self.leaving(&state, block);
            }
            for &to in program.flow.successors(block) {
                if self.is_first
                    && loops.leads_back(block, to)
                    && let Some(&number) = head_of.get(&to)
                {
                    let mut state = state.clone();
                    self.cross(&mut state, block, to);
                    self.note_changes(&state, number);
                }
            }
            if self.waiting[block as usize] > 0 {
                self.ends[block as usize] = Some(state);
            }
        }
    }

    /// The state at a block's start, merged over all incoming edges except back edges.
    fn entry(&mut self, block: u32) -> State {
        let loops = self.loops;
        let mut merged: Option<State> = None;
        for &from in self.machine.program.flow.predecessors(block) {
            if loops.leads_back(from, block) {
                continue;
            }
            self.waiting[from as usize] -= 1;
            let end = &mut self.ends[from as usize];
            let state = if self.waiting[from as usize] == 0 { end.take() } else { end.clone() };
            let Some(mut state) = state else { continue };
            if loops.entered[block as usize] {
                continue;
            }
            self.cross(&mut state, from, block);
            merged = Some(match merged {
                None => state,
                Some(mut other) => {
                    for (slot, (a, b)) in other.iter_mut().zip(&state).enumerate() {
                        if a != b {
                            let uniform = self.machine.slots.is_uniform(slot);
                            *a = if uniform { self.machine.forms.opaque() } else { Value::Unknown };
                        }
                    }
                    other
                }
            });
        }
        merged.unwrap_or_else(|| {
            let slots = self.machine.slots;
            let forms = &mut *self.machine.forms;
            (0..slots.len())
                .map(|slot| if slots.is_uniform(slot) { forms.opaque() } else { Value::Unknown })
                .collect()
        })
    }

    /// Replaces the value of each register that a loop writes, at the loop's head: with a symbol in the first pass,
    /// with the start value plus the progress of the loop in the second.
    fn enter(&mut self, state: &mut State, number: u32) {
        let own = &self.loops.all[number as usize];
        let before = state.clone();
        for slot in own.written.ones() {
            let register = self.machine.slots.register(slot);
            let value = if own.unclear {
                None
            } else if self.is_first {
                self.stand_in(number, register, slot)
            } else {
                self.inductive(&before, number, slot)
            };
            self.machine.put(state, register, value.unwrap_or(Value::Unknown));
        }
        if !self.is_first && !own.unclear {
            // Pairs come last, since their upper halves have no separate change.
            for slot in own.written.ones() {
                if let Some([low, high]) = self.inductive_pair(&before, number, slot) {
                    state[slot] = low;
                    state[slot + 1] = high;
                }
            }
        }
    }

    fn stand_in(&mut self, number: u32, register: Register, slot: usize) -> Option<Value> {
        if !matches!(register.file, RegisterFile::General | RegisterFile::Uniform) {
            return None;
        }
        if let Some(head) = self.heads.get(&(number, slot)) {
            return Some(Value::Form(head.value));
        }
        let varies = register.file == RegisterFile::General;
        let forms = &mut *self.machine.forms;
        let [low, high, pair] = forms.opaque_pair(varies)?.map(|part| forms.symbol(Symbol::Opaque(part)));
        let is_low = register.index.is_multiple_of(2);
        let value = if is_low { low } else { high };
        self.heads.insert((number, slot), Head { value, pair: is_low.then_some(pair) });
        let next = Register { index: register.index + 1, ..register };
        let written = &self.loops.all[number as usize].written;
        if is_low && let Some(next) = self.machine.slots.slot(next).filter(|&next| written.contains(next)) {
            self.heads.insert((number, next), Head { value: high, pair: None });
        }
        Some(Value::Form(value))
    }

    /// Records the changes of one iteration by comparing the state at its end with the state at its start.
    fn note_changes(&mut self, state: &State, number: u32) {
        let own = &self.loops.all[number as usize];
        if own.unclear {
            return;
        }
        for slot in own.written.ones() {
            let Some(&head) = self.heads.get(&(number, slot)) else { continue };
            let forms = &mut *self.machine.forms;
            let plain =
                |forms: &Forms, form: FormId| (forms.is_pure(form) && forms.is_uniform(form)).then_some(form);
            let adds = match state[slot] {
                Value::Form(form) => forms.add32(form, head.value, -1).and_then(|form| plain(forms, form)),
                _ => None,
            };
            let both = head.pair.zip(state.get(slot + 1).copied());
            let adds_pair = both.and_then(|(pair, high)| {
                let end = forms.pair(state[slot], high)?;
                let form = forms.add(end, pair, -1)?;
                plain(forms, form)
            });
            let change = Change { adds, adds_pair };
            let noted = self.changes.entry((number, slot)).or_insert(change);
            // If there are several back edges, all must have the same change.
            noted.adds = noted.adds.filter(|adds| change.adds == Some(*adds));
            noted.adds_pair = noted.adds_pair.filter(|adds| change.adds_pair == Some(*adds));
        }
    }

    /// Returns the total amount that the completed iterations of a loop have added to a register. `adds` is the
    /// amount per iteration. If it is not constant, the result is a new symbol.
    fn progress(&mut self, number: u32, adds: FormId, wide: bool) -> Option<FormId> {
        let symbol = Symbol::Loop(counter(self.machine.program, self.loops, number));
        let forms = &mut *self.machine.forms;
        match forms.as_constant(adds) {
            Some(0) => Some(FormId::ZERO),
            Some(step) => {
                let count = forms.symbol(symbol);
                if wide {
                    forms.add(FormId::ZERO, count, step)
                } else {
                    forms.add32(FormId::ZERO, count, step)
                }
            }
            None => {
                let [low, _, pair] = forms.opaque_pair(false)?;
                Some(forms.symbol(Symbol::Opaque(if wide { pair } else { low })))
            }
        }
    }

    fn inductive(&mut self, before: &State, number: u32, slot: usize) -> Option<Value> {
        let adds = self.changes.get(&(number, slot))?.adds?;
        if adds == FormId::ZERO {
            return Some(before[slot]);
        }
        let Value::Form(first) = before[slot] else { return None };
        let progress = self.progress(number, adds, false)?;
        self.machine.forms.add32(first, progress, 1).map(Value::Form)
    }

    fn inductive_pair(&mut self, before: &State, number: u32, slot: usize) -> Option<[Value; 2]> {
        let adds = self.changes.get(&(number, slot))?.adds_pair?;
        let high = *before.get(slot + 1)?;
        let first = self.machine.forms.pair(before[slot], high)?;
        let progress = self.progress(number, adds, true)?;
        let forms = &mut *self.machine.forms;
        let sum = forms.add(first, progress, 1)?;
        Some([Value::Form(forms.low32(sum)?), forms.high(sum)])
    }

    /// Records the loops that all lanes leave together at the end of a block, and their trip counts if these are
    /// known.
    fn leaving(&mut self, state: &State, block: u32) {
        let program = self.machine.program;
        let last = program.blocks[block as usize].instructions.end - 1;
        let inst = &program.instructions[last as usize];
        for number in self.loops.around(block) {
            let own = &self.loops.all[number as usize];
            let [(from, to)] = *own.exits else { continue };
            if from != block {
                continue;
            }
            let reads = program.reads(inst);
            let uniform = reads
                .iter()
                .all(|read| self.machine.forms.uniform(self.machine.slots.get(state, read.register)));
            if !uniform || from == to {
                continue;
            }
            self.left_together.insert(number, None);
            let counter = counter(program, self.loops, number);
            let is_alone = own.is_steady && self.loops.innermost[block as usize] == Some(number);
            let guard = inst.guard.filter(|_| reads.len() == 1 && is_alone);
            let Some(guard) = guard else { continue };
            let Value::Form(condition) = self.machine.slots.get(state, guard.predicate) else { continue };
            let taken = inst.target.map(|target| program.instructions[target as usize].block);
            let leaves_if = (taken == Some(to)) != guard.negated;
            let before =
                trips::passes_before(self.machine.forms, condition, leaves_if, Symbol::Loop(counter));
            self.left_together.insert(number, before);
            if let (Some(before), [latch]) = (before, &*own.latches) {
                let count = if *latch == block { before.checked_add(1) } else { Some(before) };
                if let Some(count) = count {
                    self.trips.insert(counter, count);
                }
            }
        }
    }

    /// Updates the state on an edge that leaves loops. Values from a loop's last iteration become unknown, unless all
    /// lanes leave the loop together.
    fn cross(&mut self, state: &mut State, from: u32, to: u32) {
        let loops = self.loops;
        if loops.innermost[from as usize] == loops.innermost[to as usize] {
            return;
        }
        let inside: Vec<u32> = loops.around(to).collect();
        for number in loops.around(from).take_while(|number| !inside.contains(number)) {
            let together = if self.is_first { None } else { self.left_together.get(&number).copied() };
            for slot in loops.all[number as usize].written.ones() {
                if self.machine.forms.pure(state[slot]) {
                    continue;
                }
                let value = together.and_then(|before| self.outside(state[slot], number, before));
                let register = self.machine.slots.register(slot);
                self.machine.put(state, register, value.unwrap_or(Value::Unknown));
            }
        }
    }

    /// Expresses a value of a loop's last iteration without the loop counter.
    fn outside(&mut self, value: Value, number: u32, before: Option<u32>) -> Option<Value> {
        let symbol = Symbol::Loop(counter(self.machine.program, self.loops, number));
        let forms = &mut *self.machine.forms;
        let count = match before {
            Some(before) => forms.constant(i64::from(before)),
            None => {
                if let Some(&known) = self.after.get(&number) {
                    known
                } else {
                    let [low, ..] = forms.opaque_pair(false)?;
                    let form = forms.symbol(Symbol::Opaque(low));
                    self.after.insert(number, form);
                    form
                }
            }
        };
        match value {
            Value::Form(form) => forms.replace(form, symbol, count, false).map(Value::Form),
            Value::High(form) => {
                let form = forms.replace(form, symbol, count, true)?;
                Some(forms.high(form))
            }
            Value::Carry(_) | Value::Unknown => None,
        }
    }
}

/// Returns the instruction that identifies a loop: the last instruction of the loop's last latch.
fn counter(program: &Program, loops: &Loops, number: u32) -> u32 {
    let latch = loops.all[number as usize].latches.last();
    latch.map_or(0, |&latch| program.blocks[latch as usize].instructions.end - 1)
}
