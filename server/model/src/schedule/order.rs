//! Reorders a block's instructions by list scheduling on their dependences.
//!
//! Registers are not renamed, so the register count does not grow. [`Reordering`] says which memory accesses may pass
//! each other. Instructions that jump, order memory, reconverge lanes or read a clock keep their positions, and no
//! instruction passes them. Source: the instruction scheduling (IS) of Zhou et al., ICS'17, section 4.

use super::flow::mnemonic;
use super::memory_order::{MemoryOrder, Reordering};
use super::plan::Sections;
use super::pressure::Pressure;
use super::register_accesses::RegisterAccesses;
use super::text::Text;
use crate::hazards::{Need, Needs, Order};
use crate::{Memory, MemorySpace, Program};
use machine::{Class, ClassId, ClassTrait, Flow, InOrder};
use std::ops::Range;
use syntax::sass::TokenKind;
use syntax::stop;

/// Priority by which list scheduling chooses among the instructions that can issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// Longest path to the block's end first; loads are assumed to have their lowest latency.
    Near,
    /// Longest path to the block's end first; loads from global memory and textures are assumed to come from DRAM.
    Far,
    /// Loads first, then the longest path to the block's end.
    Loads,
}

pub(super) const PRIORITIES: [Priority; 3] = [Priority::Near, Priority::Far, Priority::Loads];

/// A new order of a kernel's instructions.
#[derive(Debug, Clone)]
pub struct Arrangement {
    /// Old index of each instruction, by new index.
    pub order: Vec<u32>,
    /// True for each instruction, by old index, that runs as its alternative class.
    pub is_other: Vec<bool>,
    /// Cycles from the first to the last issue of each block; 0 if they were not wanted.
    pub cycles: Vec<i64>,
}

/// Options of the reordering.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choices<'a> {
    pub sections: Sections<'a>,
    /// Memory accesses that may pass each other.
    pub reordering: Reordering,
}

/// Returns the minimum cycles between an instruction and the next instruction of its queue; `None` if no minimum is set
/// for the queue.
pub(super) fn spacing(all: &[(InOrder, u32)], class: &Class) -> Option<u32> {
    all.iter().find(|(queue, _)| class.queue == Some(*queue)).map(|&(_, cycles)| cycles)
}

/// A block as a graph; nodes are numbered from its first instruction.
struct Graph {
    /// Outgoing edges of each node: the later node, and cycles from issue to issue.
    edges: Vec<Vec<(u32, i64)>>,
    before: Vec<u32>,
}

/// Returns a new order of all instructions under this priority, by new index.
pub(super) fn order(
    program: &Program,
    text: Text,
    needs: Needs,
    touches: &RegisterAccesses,
    priority: Priority,
) -> Vec<u32> {
    let sections = Sections { others: &[], spacing: &[], most: u32::MAX, limit: None, is_timed: false };
    let choices = Choices { sections, reordering: Reordering::Loads };
    order_within(program, text, needs, touches, priority, choices).order
}

/// Reorders instructions within sections of each block. The sections
/// keep their order.
pub(super) fn order_within(
    program: &Program,
    text: Text,
    needs: Needs,
    touches: &RegisterAccesses,
    priority: Priority,
    choices: Choices,
) -> Arrangement {
    let mut cycles = vec![0; program.blocks.len()];
    let mut is_other = vec![false; program.instructions.len()];
    let mut order: Vec<u32> = (0..program.instructions.len() as u32).collect();
    let glued = glued(program, text);
    for ((index, block), cycles) in program.blocks.iter().enumerate().zip(&mut cycles) {
        let bounds = bounds(&block.instructions, choices.sections.most, &glued);
        let live = choices.sections.limit.map(|(liveness, _)| liveness.before_each(program, index, &bounds));
        for (section, range) in bounds.windows(2).map(|ends| ends[0]..ends[1]).enumerate() {
            stop::check();
            if range.len() > 2 {
                let mut graph =
                    graph(program, text, needs, touches, range.clone(), priority, choices.reordering);
                graph.keep_together(&glued[range.start as usize..range.end as usize]);
                let others = choices.sections.others.get(range.start as usize..range.end as usize);
                let sections = Sections { others: others.unwrap_or_default(), ..choices.sections };
                let own_glued = &glued[range.start as usize..range.end as usize];
                let pressure = sections.limit.zip(live.as_ref()).map(|((_, limit), live)| {
                    Pressure::new(touches, range.clone(), &live[section], &live[section + 1], limit)
                });
                let listed = list(program, &graph, own_glued, range.clone(), priority, sections, pressure);
                if sections.is_timed {
                    let far = Priority::Far;
                    let far =
                        self::graph(program, text, needs, touches, range.clone(), far, choices.reordering);
                    *cycles += far.cycles(listed.iter().map(|&(node, _)| node));
                }
                for (place, (node, runs_other)) in range.clone().zip(listed) {
                    order[place as usize] = range.start + node;
                    is_other[(range.start + node) as usize] = runs_other;
                }
            }
        }
    }
    Arrangement { order, is_other, cycles }
}

/// Returns the starts of the sections of a block, and the end of the last one. A section has at most `most` instructions,
/// and more only if some of them must stay together.
fn bounds(block: &Range<u32>, most: u32, glued: &[bool]) -> Vec<u32> {
    let mut bounds = vec![block.start];
    let mut end = block.start;
    while end < block.end {
        end = end.saturating_add(most).min(block.end);
        while end < block.end && glued[end as usize - 1] {
            end += 1;
        }
        bounds.push(end);
    }
    bounds
}

/// Returns, for each instruction, true if the next instruction must directly follow it.
///
/// ptxas writes three `@!PT LDS RZ, [RZ]`, which load no data, directly before each LDGSTS of some kernels
/// for sm_80 and later. Their purpose is not public. The vendor never separates these instructions, so they
/// stay together.
fn glued(program: &Program, text: Text) -> Vec<bool> {
    let loads_nothing = |inst: u32| {
        let is_zero = |(token, name): (&syntax::sass::Token, &str)| {
            !matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister) || name.ends_with("RZ")
        };
        mnemonic(program, inst) == "LDS" && text.tokens(inst).all(is_zero)
    };
    let mut glued = vec![false; program.instructions.len()];
    for block in &program.blocks {
        let mut is_before = false;
        for inst in block.instructions.clone().rev() {
            let is_glued = is_before && loads_nothing(inst);
            glued[inst as usize] = is_glued;
            is_before = is_glued || mnemonic(program, inst) == "LDGSTS";
        }
    }
    glued
}

impl Graph {
    /// Cycles from the first to the last issue if the nodes issue in this order, one per cycle.
    fn cycles(&self, order: impl Iterator<Item = u32>) -> i64 {
        let mut earliest = vec![0_i64; self.edges.len()];
        let mut now = 0;
        for node in order {
            let issue = earliest[node as usize].max(now);
            for &(next, cycles) in &self.edges[node as usize] {
                earliest[next as usize] = earliest[next as usize].max(issue + cycles);
            }
            now = issue + 1;
        }
        now
    }

    /// Makes the first instruction of each group wait for all dependences of the group. Each other instruction of the
    /// group waits for the preceding instruction.
    fn keep_together(&mut self, glued: &[bool]) {
        if !glued.contains(&true) {
            return;
        }
        for (node, edges) in self.edges.iter_mut().enumerate().filter(|(node, _)| glued[*node]) {
            let next = node as u32 + 1;
            if !edges.iter().any(|(other, _)| *other == next) {
                edges.push((next, 1));
                self.before[next as usize] += 1;
            }
        }
        // The first node of each node's group.
        let mut firsts: Vec<u32> = Vec::with_capacity(glued.len());
        for node in 0..glued.len() {
            let is_with_last = node.checked_sub(1).is_some_and(|last| glued[last]);
            firsts.push(if is_with_last { firsts[node - 1] } else { node as u32 });
        }
        for (from, edges) in self.edges.iter_mut().enumerate() {
            for (to, cycles) in edges.clone() {
                let first = firsts[to as usize];
                if first == to || first == firsts[from] {
                    continue;
                }
                if let Some((_, known)) = edges.iter_mut().find(|(other, _)| *other == first) {
                    *known = cycles.max(*known);
                } else {
                    edges.push((first, cycles));
                    self.before[first as usize] += 1;
                }
            }
        }
    }
}

/// True if no instruction may pass this instruction.
fn is_fixed(program: &Program, text: Text, inst: u32) -> bool {
    let own = &program.instructions[inst as usize];
    let Some(class) = own.class else { return true };
    let reads_changing = || {
        text.tokens(inst).any(|(token, name)| token.kind == TokenKind::SpecialRegister && !is_constant(name))
    };
    own.flow != Flow::Next
        || program.arch.class(class).has(ClassTrait::Immovable)
        || matches!(own.memory, Some(Memory { space: MemorySpace::Tensor, .. }))
        || reads_changing()
}

/// True for special registers that hold the same value for the lifetime of a warp.
fn is_constant(name: &str) -> bool {
    let name = name.strip_prefix("SR_").unwrap_or(name);
    ["TID", "CTAID", "NTID", "NCTAID", "LANEID", "CgaCtaId", "SRZ", "GRIDID"]
        .iter()
        .any(|known| name.starts_with(known))
        || (name.ends_with("MASK") && name.len() <= "EQMASK".len())
}

fn graph(
    program: &Program,
    text: Text,
    needs: Needs,
    touches: &RegisterAccesses,
    range: Range<u32>,
    priority: Priority,
    reordering: Reordering,
) -> Graph {
    let count = range.len();
    let mut graph = Graph { edges: vec![Vec::new(); count], before: vec![0; count] };
    let mut add = |from: u32, to: u32, cycles: i64| {
        let edges = &mut graph.edges[(from - range.start) as usize];
        if let Some((_, known)) = edges.iter_mut().find(|(other, _)| *other == to - range.start) {
            *known = cycles.max(*known);
        } else {
            edges.push((to - range.start, cycles));
            graph.before[(to - range.start) as usize] += 1;
        }
    };
    let mut writers: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    let mut readers: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    let mut accesses = MemoryOrder::new(reordering);
    let mut wall = None;
    let mut since_wall = Vec::new();
    for inst in range.clone() {
        let own = &program.instructions[inst as usize];
        if let Some(wall) = wall {
            add(wall, inst, 1);
        }
        if is_fixed(program, text, inst) {
            for &before in &since_wall {
                add(before, inst, 1);
            }
            since_wall.clear();
            wall = Some(inst);
        } else {
            since_wall.push(inst);
        }
        let weigh = |first: u32, register: u32, order: Order| {
            let name = touches.registers()[register as usize];
            match needs.between(first, inst, name, order) {
                Need::None => 1,
                Need::Cycles(cycles) => i64::from(cycles),
                Need::Scoreboard => latency(program, first, order, priority),
            }
        };
        for &register in touches.reads(inst) {
            for &writer in writers.get(&register).into_iter().flatten() {
                add(writer, inst, weigh(writer, register, Order::ReadAfterWrite));
            }
        }
        for &register in touches.writes(inst) {
            for &writer in writers.get(&register).into_iter().flatten() {
                add(writer, inst, weigh(writer, register, Order::WriteAfterWrite));
            }
            for &reader in readers.get(&register).into_iter().flatten().filter(|&&reader| reader != inst) {
                add(reader, inst, weigh(reader, register, Order::WriteAfterRead));
            }
        }
        for earlier in accesses.add((program, text), touches, &writers, inst) {
            add(earlier, inst, 1);
        }
        for &register in touches.writes(inst) {
            let own_writers = writers.entry(register).or_default();
            if own.guard.is_none() {
                own_writers.clear();
                readers.entry(register).or_default().clear();
            }
            own_writers.push(inst);
        }
        for &register in touches.reads(inst) {
            if !touches.writes(inst).contains(&register) || own.guard.is_some() {
                readers.entry(register).or_default().push(inst);
            }
        }
    }
    graph
}

/// Returns the cycles until a result of variable latency is available or, for a write after a read, until the
/// instruction's sources are read.
fn latency(program: &Program, inst: u32, order: Order, priority: Priority) -> i64 {
    let arch = &program.arch;
    let own = &program.instructions[inst as usize];
    let known = own.class.map_or(1, |class| arch.class(class).latency.cycles().value);
    let is_far = own.memory.is_some_and(|memory| {
        matches!(memory.space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Texture)
    });
    let cycles = match (order, priority) {
        (Order::WriteAfterRead, _) => {
            let store = arch.class_with(ClassTrait::GlobalStore).map(|class| class.latency.cycles().value);
            store.map_or(known, |cycles| cycles.min(known))
        }
        (_, Priority::Far | Priority::Loads) if is_far => arch.memory.dram.value,
        _ => known,
    };
    i64::from(cycles)
}

/// List scheduling: issues the ready node with the highest priority, and chooses whether the node runs as its
/// alternative class.
fn list(
    program: &Program,
    graph: &Graph,
    glued: &[bool],
    range: Range<u32>,
    priority: Priority,
    sections: Sections,
    mut pressure: Option<Pressure>,
) -> Vec<(u32, bool)> {
    let count = range.len();
    let mut height = vec![0_i64; count];
    for node in (0..count).rev() {
        let following = graph.edges[node].iter().map(|&(next, cycles)| height[next as usize] + cycles);
        height[node] = following.max().unwrap_or(0);
    }
    let inst = |node: u32| &program.instructions[(range.start + node) as usize];
    let rank = |node: u32| {
        let loads = inst(node).memory.is_some_and(|memory| memory.loads);
        let first = priority == Priority::Loads && loads;
        (first, height[node as usize], std::cmp::Reverse(node))
    };
    let mut before = graph.before.clone();
    let mut earliest = vec![0_i64; count];
    let mut ready: Vec<u32> = (0..count as u32).filter(|&node| before[node as usize] == 0).collect();
    let mut pipes = vec![0_i64; program.arch.pipes.len()];
    let mut now = 0_i64;
    let mut listed = Vec::with_capacity(count);
    while !ready.is_empty() {
        let free = |class: Option<ClassId>| class.map_or(0, |class| pipes[program.arch.class(class).pipe]);
        let other = |node: u32| sections.others.get(node as usize).copied().flatten();
        let can = |node: u32| {
            let own = free(inst(node).class);
            let pipe = other(node).map_or(own, |other| own.min(free(Some(other))));
            earliest[node as usize].max(pipe)
        };
        let last = listed.last().map(|&(node, _): &(u32, bool)| node).filter(|&node| glued[node as usize]);
        let following = last.and_then(|last| ready.iter().position(|&node| node == last + 1));
        let first = match following {
            Some(at) => can(ready[at]).max(now),
            None => ready.iter().map(|&node| can(node)).min().unwrap_or(now).max(now),
        };
        let choice = (0..ready.len()).filter(|&at| can(ready[at]) <= first).max_by_key(|&at| rank(ready[at]));
        let (choice, first) = match &pressure {
            Some(pressure) if following.is_none() => {
                let choice = pressure.choose(&ready, range.start, first, &can, &rank);
                (choice, choice.map_or(first, |at| can(ready[at]).max(first)))
            }
            _ => (choice, first),
        };
        let node = ready.swap_remove(following.or(choice).unwrap_or(0));
        if let Some(pressure) = &mut pressure {
            pressure.issue(range.start + node);
        }
        // The other class is used if its pipe has been idle for longer.
        let own = inst(node).class;
        let other = other(node).filter(|&other| free(Some(other)) < free(own));
        now = first;
        listed.push((node, other.is_some()));
        if let Some(class) = other.or(own).map(|class| program.arch.class(class)) {
            let apart = spacing(sections.spacing, class).unwrap_or(0);
            pipes[class.pipe] = now + i64::from(class.issue_cycles.value.max(apart));
        }
        for &(next, cycles) in &graph.edges[node as usize] {
            let next = next as usize;
            earliest[next] = earliest[next].max(now + cycles);
            before[next] -= 1;
            if before[next] == 0 {
                ready.push(next as u32);
            }
        }
        now += 1;
    }
    listed
}
