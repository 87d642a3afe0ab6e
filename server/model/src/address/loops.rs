//! Loops of a kernel, and what is written in each.

use super::slots::Slots;
use crate::Program;
use machine::Flow;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

/// Blocks in an order in which all but loops' back edges lead forward, and the loops.
#[derive(Debug)]
pub(super) struct Loops {
    /// Every block once.
    pub order: Vec<u32>,
    /// Each block's place in `order`.
    pub place: Vec<u32>,
    pub predecessors: Vec<Vec<u32>>,
    /// Control comes to these blocks from where the text does not say.
    pub entered: Vec<bool>,
    pub all: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: Vec<Option<u32>>,
    /// Registers that the function writes that a block ends with a call of.
    pub called: FxHashMap<u32, Bits>,
}

/// The blocks from which control comes back to a head.
#[derive(Debug)]
pub(super) struct Loop {
    pub head: u32,
    /// Blocks with a branch to the head, ascending.
    pub latches: Vec<u32>,
    pub parent: Option<u32>,
    /// Edges that leave it; a block that may end the thread counts as one to itself.
    pub exits: Vec<(u32, u32)>,
    pub written: Bits,
    /// Entered elsewhere than at its head, or too large a nest to look into: nothing is known at its head.
    pub unclear: bool,
    /// It has one exit, which every pass comes by.
    pub is_steady: bool,
}

/// A set of slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn new(slots: usize) -> Self {
        Self(vec![0; slots.div_ceil(64)])
    }

    fn full(slots: usize) -> Self {
        let mut bits = Self::new(slots);
        (0..slots).for_each(|slot| bits.add(slot));
        bits
    }

    fn add(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    pub(super) fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors((bits != 0).then_some(bits), |bits| {
                Some(bits & (bits - 1)).filter(|&b| b != 0)
            })
            .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
        })
    }
}

/// Blocks that all loops together may hold, for each block: a nest deeper than any compiler's is not looked into.
const DEPTH: usize = 32;

/// Functions that are called, beyond which a call is taken to write everything.
const FUNCTIONS: usize = 64;

impl Loops {
    pub(super) fn of(program: &Program, slots: &Slots) -> Self {
        let count = program.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        for (from, block) in program.blocks.iter().enumerate() {
            for &to in &block.successors {
                predecessors[to as usize].push(from as u32);
            }
        }
        let entered = entered(program, &predecessors);
        let (order, place, roots) = order(program, &entered);
        let mut loops = Self {
            order,
            place,
            predecessors,
            entered,
            all: Vec::new(),
            innermost: vec![None; count],
            called: FxHashMap::default(),
        };
        if count > 0 {
            let mut written = written(program, slots);
            loops.called = called(program, slots, &written);
            for (&block, bits) in &loops.called {
                written[block as usize].join(bits);
            }
            loops.find(program, slots, &roots, &written);
        }
        loops
    }

    /// The loop and those around it, from the inside.
    pub(super) fn around(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.innermost[block as usize], |&inner| self.all[inner as usize].parent)
    }

    /// Whether the edge leads back to a head.
    pub(super) fn leads_back(&self, from: u32, to: u32) -> bool {
        self.place[to as usize] <= self.place[from as usize]
    }

    fn find(&mut self, program: &Program, slots: &Slots, roots: &[u32], written: &[Bits]) {
        let count = program.blocks.len();
        let dominators = Dominators::of(program, roots);
        let mut heads: Vec<(u32, Vec<u32>, bool)> = Vec::new();
        let mut by_head: FxHashMap<u32, usize> = FxHashMap::default();
        for &from in &self.order {
            for &to in &program.blocks[from as usize].successors {
                if self.leads_back(from, to) {
                    let at = *by_head.entry(to).or_insert_with(|| {
                        heads.push((to, Vec::new(), false));
                        heads.len() - 1
                    });
                    heads[at].1.push(from);
                    heads[at].2 |= !dominators.dominates(to, from);
                }
            }
        }
        // Outer loops come first: their heads do.
        heads.sort_by_key(|head| self.place[head.0 as usize]);
        let mut budget = DEPTH * (count + 64);
        let mut member: Vec<u32> = vec![u32::MAX; count];
        for (head, mut latches, mut unclear) in heads {
            latches.sort_unstable();
            let number = self.all.len() as u32;
            let mut body = Vec::new();
            if !unclear {
                body = self.body(head, &latches, number, &mut member, budget);
                unclear = body.len() >= budget;
                budget -= body.len().min(budget);
            }
            let mut own = Loop {
                head,
                latches,
                parent: self.innermost[head as usize],
                exits: Vec::new(),
                written: Bits::full(slots.len()),
                unclear,
                is_steady: false,
            };
            if !unclear {
                own.written = Bits::new(slots.len());
                for &block in &body {
                    own.written.join(&written[block as usize]);
                    self.innermost[block as usize] = Some(number);
                    let ends = program.blocks[block as usize].instructions.end.checked_sub(1);
                    if ends.is_some_and(|last| program.instructions[last as usize].flow == Flow::Exit) {
                        own.exits.push((block, block));
                    }
                    let out = program.blocks[block as usize].successors.iter();
                    own.exits.extend(out.filter(|&&to| member[to as usize] != number).map(|&to| (block, to)));
                }
                if let [(from, _)] = *own.exits {
                    own.is_steady = own.latches.iter().all(|&latch| dominators.dominates(from, latch));
                }
            }
            self.all.push(own);
        }
    }

    /// The blocks that lead to a latch without passing the head; no more than `most`.
    fn body(&self, head: u32, latches: &[u32], number: u32, member: &mut [u32], most: usize) -> Vec<u32> {
        let mut body = vec![head];
        member[head as usize] = number;
        let mut open = latches.to_vec();
        while let Some(block) = open.pop() {
            if body.len() >= most {
                break;
            }
            if std::mem::replace(&mut member[block as usize], number) != number {
                body.push(block);
                open.extend_from_slice(&self.predecessors[block as usize]);
            }
        }
        body
    }
}

/// Which blocks every way to a block passes: intervals of a walk over the tree of dominators.
#[derive(Debug)]
struct Dominators {
    intervals: Vec<(u32, u32)>,
}

impl Dominators {
    fn of(program: &Program, roots: &[u32]) -> Self {
        let count = program.blocks.len();
        let edges = program
            .blocks
            .iter()
            .enumerate()
            .flat_map(|(from, block)| block.successors.iter().map(move |&to| (from as u32, to)));
        let all = edges.chain(roots.iter().map(|&root| (count as u32, root)));
        let graph = DiGraph::<(), ()>::from_edges(all);
        let above = simple_fast(&graph, NodeIndex::new(count));
        let mut below = vec![Vec::new(); count + 1];
        for block in 0..count {
            if let Some(parent) = above.immediate_dominator(NodeIndex::new(block)) {
                below[parent.index()].push(block);
            }
        }
        let mut intervals = vec![(0, 0); count + 1];
        let mut clock = 0;
        let mut open = vec![(count, 0)];
        while let Some((block, next)) = open.last_mut() {
            if *next == 0 {
                intervals[*block].0 = clock;
                clock += 1;
            }
            if let Some(&child) = below[*block].get(*next) {
                *next += 1;
                open.push((child, 0));
            } else {
                intervals[*block].1 = clock;
                open.pop();
            }
        }
        Self { intervals }
    }

    fn dominates(&self, above: u32, below: u32) -> bool {
        let (from, to) = self.intervals[above as usize];
        (from..to).contains(&self.intervals[below as usize].0)
    }
}

/// Blocks that something enters that is no edge: the kernel's first, functions, whatever nothing leads to; and all, where a
/// jump may go anywhere.
fn entered(program: &Program, predecessors: &[Vec<u32>]) -> Vec<bool> {
    let jumps_anywhere = program.blocks.iter().any(|block| {
        let last = &program.instructions[block.instructions.end as usize - 1];
        last.flow == Flow::IndirectBranch && block.successors.len() <= usize::from(last.guard.is_some())
    });
    let mut entered: Vec<bool> = predecessors.iter().map(|from| jumps_anywhere || from.is_empty()).collect();
    if let Some(first) = entered.first_mut() {
        *first = true;
    }
    for inst in program.instructions.iter().filter(|inst| inst.flow == Flow::Call) {
        if let Some(target) = inst.target {
            entered[program.instructions[target as usize].block as usize] = true;
        }
    }
    entered
}

/// Blocks in reverse postorder, each one's place, and the blocks that the walk began at.
fn order(program: &Program, entered: &[bool]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let count = program.blocks.len();
    let mut seen = vec![false; count];
    let mut after = Vec::with_capacity(count);
    let mut is_root = entered.to_vec();
    let starts = (0..count).filter(|&block| entered[block]).chain(0..count);
    for start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        is_root[start] = true;
        let mut open = vec![(start, 0)];
        while let Some((block, next)) = open.last_mut() {
            if let Some(&to) = program.blocks[*block].successors.get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    open.push((to as usize, 0));
                }
            } else {
                after.push(*block as u32);
                open.pop();
            }
        }
    }
    after.reverse();
    let mut place = vec![0; count];
    for (at, &block) in after.iter().enumerate() {
        place[block as usize] = at as u32;
    }
    let roots = (0..count as u32).filter(|&block| is_root[block as usize]).collect();
    (after, place, roots)
}

/// Registers that each block writes; what calls do left aside.
fn written(program: &Program, slots: &Slots) -> Vec<Bits> {
    let of_block = |block: &crate::Block| {
        let mut bits = Bits::new(slots.len());
        for inst in &program.instructions[block.instructions.start as usize..block.instructions.end as usize]
        {
            let unknown = if inst.opcode.is_none() { program.reads(inst) } else { &[] };
            let slots =
                program.writes(inst).iter().chain(unknown).filter_map(|access| slots.slot(access.register));
            slots.for_each(|slot| bits.add(slot));
        }
        bits
    };
    program.blocks.iter().map(of_block).collect()
}

/// Finds the slots that calls write, by the block that ends with one: those of the function, or all.
fn called(program: &Program, slots: &Slots, written: &[Bits]) -> FxHashMap<u32, Bits> {
    let mut functions: FxHashMap<u32, Bits> = FxHashMap::default();
    let mut called = FxHashMap::default();
    for (block, at) in program.blocks.iter().zip(0_u32..) {
        let last = &program.instructions[block.instructions.end as usize - 1];
        if last.flow != Flow::Call {
            continue;
        }
        let known = functions.len();
        let bits = match last.target.map(|target| program.instructions[target as usize].block) {
            Some(first) if known < FUNCTIONS || functions.contains_key(&first) => {
                functions.entry(first).or_insert_with(|| function(program, slots, first, written)).clone()
            }
            _ => Bits::full(slots.len()),
        };
        called.insert(at, bits);
    }
    called
}

/// Registers that a function writes, with those that it calls.
fn function(program: &Program, slots: &Slots, first: u32, own: &[Bits]) -> Bits {
    let mut bits = Bits::new(slots.len());
    let mut seen = vec![false; own.len()];
    let mut open = vec![first];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut seen[block as usize], true) {
            continue;
        }
        bits.join(&own[block as usize]);
        let code = &program.blocks[block as usize];
        let last = &program.instructions[code.instructions.end as usize - 1];
        match (last.flow, last.target) {
            (Flow::Call, Some(target)) => open.push(program.instructions[target as usize].block),
            (Flow::Call, None) => return Bits::full(slots.len()),
            (Flow::IndirectBranch, _) if code.successors.is_empty() => return Bits::full(slots.len()),
            _ => {}
        }
        open.extend_from_slice(&code.successors);
    }
    bits
}
