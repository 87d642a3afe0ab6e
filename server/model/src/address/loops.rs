//! Loops of a kernel, and the registers that each loop writes.

use super::slots::Slots;
use crate::Program;
use crate::flow::{DominatorTree, FlowGraph};
use fixedbitset::FixedBitSet;
use machine::Flow;
use rustc_hash::FxHashMap;

/// Blocks in reverse postorder, and the loops of the kernel.
#[derive(Debug)]
pub(super) struct Loops {
    /// All blocks, each once.
    pub order: Vec<u32>,
    /// Position of each block in `order`.
    pub place: Vec<u32>,
    /// True for blocks that control may enter from outside the flow graph.
    pub entered: Vec<bool>,
    pub all: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: Vec<Option<u32>>,
    /// Registers that a called function writes, by the block that ends with the call.
    pub called: FxHashMap<u32, FixedBitSet>,
}

/// A loop: a head and the blocks from which control returns to it.
#[derive(Debug)]
pub(super) struct Loop {
    pub head: u32,
    /// Blocks with a branch to the head, in ascending order.
    pub latches: Vec<u32>,
    pub parent: Option<u32>,
    /// Edges that leave the loop. A block that may end the thread is listed as an edge to itself.
    pub exits: Vec<(u32, u32)>,
    pub written: FixedBitSet,
    /// True if control can enter the loop other than through its head, or if the limit `DEPTH` is reached. Registers
    /// are then unknown at the loop's head.
    pub unclear: bool,
    /// True if the loop has a single exit, which every iteration passes.
    pub is_steady: bool,
}

/// Maximum total number of blocks in all loop bodies, as a multiple of the kernel's block count. Loops beyond the
/// limit are `unclear`.
// limit: keeps the analysis linear in the blocks.
const DEPTH: usize = 32;

/// Number of called functions beyond which a call is assumed to write all registers.
// limit: compilers inline all but a few functions.
const FUNCTIONS: usize = 64;

impl Loops {
    pub(super) fn collect(program: &Program, slots: &Slots) -> Self {
        let count = program.blocks.len();
        let entered = entered(program);
        let starts = program.flow.blocks().filter(|&block| entered[block as usize]);
        let (order, mut roots) = program.flow.reverse_postorder(starts);
        roots.sort_unstable();
        let mut place = vec![0; count];
        for (at, &block) in order.iter().enumerate() {
            place[block as usize] = at as u32;
        }
        let mut loops = Self {
            order,
            place,
            entered,
            all: Vec::new(),
            innermost: vec![None; count],
            called: FxHashMap::default(),
        };
        if count > 0 {
            let mut written = written(program, slots);
            loops.called = called(program, slots, &written);
            for (&block, bits) in &loops.called {
                written[block as usize].union_with(bits);
            }
            loops.find(program, slots, &roots, &written);
        }
        loops
    }

    /// The loops around a block, innermost first.
    pub(super) fn around(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.innermost[block as usize], |&inner| self.all[inner as usize].parent)
    }

    /// True if the edge is a back edge: `to` is not after `from` in the order of blocks.
    pub(super) fn leads_back(&self, from: u32, to: u32) -> bool {
        self.place[to as usize] <= self.place[from as usize]
    }

    fn find(&mut self, program: &Program, slots: &Slots, roots: &[u32], written: &[FixedBitSet]) {
        let count = program.blocks.len();
        let dominators = DominatorTree::compute(&program.flow.with_root(roots), count as u32);
        let mut heads: Vec<(u32, Vec<u32>, bool)> = Vec::new();
        let mut by_head: FxHashMap<u32, usize> = FxHashMap::default();
        for &from in &self.order {
            for &to in program.flow.successors(from) {
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
        // Outer loops come first because their heads do.
        heads.sort_by_key(|head| self.place[head.0 as usize]);
        let mut budget = DEPTH * (count + 64);
        let mut member: Vec<u32> = vec![u32::MAX; count];
        for (head, mut latches, mut unclear) in heads {
            latches.sort_unstable();
            let number = self.all.len() as u32;
            let mut body = Vec::new();
            if !unclear {
                body = body_of(program, head, &latches, number, &mut member, budget);
                unclear = body.len() >= budget;
                budget -= body.len().min(budget);
            }
            let mut own = Loop {
                head,
                latches,
                parent: self.innermost[head as usize],
                exits: Vec::new(),
                written: full(slots),
                unclear,
                is_steady: false,
            };
            if !unclear {
                own.written.clear();
                for &block in &body {
                    own.written.union_with(&written[block as usize]);
                    self.innermost[block as usize] = Some(number);
                    if program.last_of(block).flow == Flow::Exit {
                        own.exits.push((block, block));
                    }
                    let out = program.flow.successors(block).iter();
                    own.exits.extend(out.filter(|&&to| member[to as usize] != number).map(|&to| (block, to)));
                }
                if let [(from, _)] = *own.exits {
                    own.is_steady = own.latches.iter().all(|&latch| dominators.dominates(from, latch));
                }
            }
            self.all.push(own);
        }
    }
}

/// Returns the blocks from which control reaches a latch without passing the head; at most `most` blocks.
fn body_of(
    program: &Program,
    head: u32,
    latches: &[u32],
    number: u32,
    member: &mut [u32],
    most: usize,
) -> Vec<u32> {
    let mut body = vec![head];
    member[head as usize] = number;
    let mut open = latches.to_vec();
    while let Some(block) = open.pop() {
        if body.len() >= most {
            break;
        }
        if std::mem::replace(&mut member[block as usize], number) != number {
            body.push(block);
            open.extend_from_slice(program.flow.predecessors(block));
        }
    }
    body
}

fn full(slots: &Slots) -> FixedBitSet {
    let mut all = FixedBitSet::with_capacity(slots.len());
    all.insert_range(..);
    all
}

/// Returns, for each block, whether control may enter it from outside the flow graph: true for the first block, the
/// first blocks of functions, and blocks without predecessors. True for all blocks if an indirect jump has unknown
/// targets.
fn entered(program: &Program) -> Vec<bool> {
    let flow = &program.flow;
    let jumps_anywhere = flow.blocks().any(|block| {
        let last = program.last_of(block);
        last.flow == Flow::IndirectBranch && flow.successors(block).len() <= usize::from(last.guard.is_some())
    });
    let mut entered: Vec<bool> =
        flow.blocks().map(|block| jumps_anywhere || flow.predecessors(block).is_empty()).collect();
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

/// Registers that each block writes, not counting calls.
fn written(program: &Program, slots: &Slots) -> Vec<FixedBitSet> {
    let of_block = |block: &crate::Block| {
        let mut bits = FixedBitSet::with_capacity(slots.len());
        for inst in &program.instructions[block.instructions.start as usize..block.instructions.end as usize]
        {
            let unknown = if inst.opcode.is_none() { program.reads(inst) } else { &[] };
            let slots =
                program.writes(inst).iter().chain(unknown).filter_map(|access| slots.slot(access.register));
            bits.extend(slots);
        }
        bits
    };
    program.blocks.iter().map(of_block).collect()
}

/// Returns the slots that each call may write, by the block that ends with the call: the slots that the called
/// function writes, or all slots if the function is unknown or not analysed.
fn called(program: &Program, slots: &Slots, written: &[FixedBitSet]) -> FxHashMap<u32, FixedBitSet> {
    let mut functions: FxHashMap<u32, FixedBitSet> = FxHashMap::default();
    let mut called = FxHashMap::default();
    let graph = program.flow_with_calls();
    for at in graph.blocks() {
        let last = program.last_of(at);
        if last.flow != Flow::Call {
            continue;
        }
        let known = functions.len();
        let bits = match last.target.map(|target| program.instructions[target as usize].block) {
            Some(first) if known < FUNCTIONS || functions.contains_key(&first) => functions
                .entry(first)
                .or_insert_with(|| function(program, &graph, slots, first, written))
                .clone(),
            _ => full(slots),
        };
        called.insert(at, bits);
    }
    called
}

/// Registers that a function and its callees write; all registers if control may leave the kernel's code.
fn function(
    program: &Program,
    graph: &FlowGraph,
    slots: &Slots,
    first: u32,
    own: &[FixedBitSet],
) -> FixedBitSet {
    let mut bits = FixedBitSet::with_capacity(slots.len());
    for block in graph.reached([first]).ones() {
        let last = program.last_of(block as u32);
        let leads_out = match last.flow {
            Flow::Call => last.target.is_none(),
            Flow::IndirectBranch => program.flow.successors(block as u32).is_empty(),
            _ => false,
        };
        if leads_out {
            return full(slots);
        }
        bits.union_with(&own[block]);
    }
    bits
}
