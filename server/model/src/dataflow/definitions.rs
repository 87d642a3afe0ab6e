//! Reaching definitions of a read, and reads that use a definition.

use super::calls::{Convention, conventions, is_kept};
use super::registers::Registers;
use crate::flow::{Direction, FlowGraph};
use crate::{Program, Register};
use machine::Isa;
use std::collections::BTreeMap;

/// Use-def and def-use chains of a kernel, followed for one register at a time.
///
/// A guarded write does not kill earlier writes, so a later read may see both writes. Control flow at a call
/// within the kernel leads into the function and to the instruction after the call. A call of a function
/// outside the kernel may write every register that is not callee-saved.
#[derive(Debug, Clone)]
pub struct Definitions {
    registers: Registers,
    /// Start of each register's range in `occurrences`.
    starts: Vec<u32>,
    /// Occurrences by register, then in text order; several for an instruction that names a register twice.
    occurrences: Vec<Occurrence>,
    /// The blocks, followed by one node for the returns of each function.
    graph: FlowGraph,
    /// Calls of functions outside the kernel, in ascending order. Each is the last instruction of its block.
    calls_elsewhere: Vec<u32>,
}

/// The writes that a read may see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReachingWrites {
    /// Indices of the writing instructions, in ascending order.
    pub writes: Vec<u32>,
    /// True if some path from the kernel's entry reaches the read without a write.
    pub from_entry: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Occurrence {
    inst: u32,
    reads: bool,
    writes: bool,
    /// True for an unconditional write. Earlier writes do not reach reads after an unconditional write.
    kills: bool,
}

/// Maximum number of functions whose returns have separate nodes. With more functions, every return leads to
/// the code after every call.
const FUNCTIONS_APART: usize = 64; // limit: time and memory grow with each

impl Definitions {
    /// Computes the chains. `isa` holds the opcodes that `program` was decoded with.
    pub fn compute(program: &Program, isa: &Isa) -> Self {
        let registers = Registers::collect(program, std::iter::empty());
        let (starts, occurrences) = occurrences(program, &registers);
        let (graph, calls_elsewhere) = edges(program, isa);
        Self { registers, starts, occurrences, graph, calls_elsewhere }
    }

    /// The writes of `register` that may reach instruction `inst`.
    pub fn reaching(&self, program: &Program, inst: u32, register: Register) -> ReachingWrites {
        let mut found = ReachingWrites::default();
        let block = program.instructions[inst as usize].block;
        let before = program.blocks[block as usize].instructions.start..inst;
        if !self.last_writes(register, before, &mut found.writes) {
            let begins = |node: u32| node == 0 || self.graph.predecessors(node).is_empty();
            self.graph.search(block, Direction::Backward, |node| {
                let stops = program.blocks.get(node as usize).is_some_and(|block| {
                    self.last_writes(register, block.instructions.clone(), &mut found.writes)
                });
                found.from_entry |= !stops && begins(node);
                !stops
            });
            found.from_entry |= begins(block);
        }
        found.writes.sort_unstable();
        found.writes.dedup();
        found
    }

    /// The reads that may see the value that instruction `inst` writes to `register`, in ascending order.
    pub fn uses(&self, program: &Program, inst: u32, register: Register) -> Vec<u32> {
        let mut found = Vec::new();
        let block = program.instructions[inst as usize].block;
        let after = inst + 1..program.blocks[block as usize].instructions.end;
        if !self.first_reads(register, after, &mut found) {
            self.graph.search(block, Direction::Forward, |node| match program.blocks.get(node as usize) {
                Some(block) => !self.first_reads(register, block.instructions.clone(), &mut found),
                None => true,
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The web of a value: all writes and reads that use-def chains connect. The web contains the write of
    /// `register` by instruction `inst` if `written`, otherwise the read of `register` by `inst`.
    pub fn web(
        &self,
        program: &Program,
        inst: u32,
        register: Register,
        written: bool,
    ) -> BTreeMap<u32, WebAccess> {
        let mut web: BTreeMap<u32, WebAccess> = BTreeMap::new();
        let mut writes = if written { vec![inst] } else { self.reaching(program, inst, register).writes };
        if !written {
            web.entry(inst).or_default().reads = true;
        }
        while let Some(write) = writes.pop() {
            syntax::stop::check();
            let touch = web.entry(write).or_default();
            if touch.writes {
                continue;
            }
            touch.writes = true;
            for read in self.uses(program, write, register) {
                let touch = web.entry(read).or_default();
                if !touch.reads {
                    touch.reads = true;
                    writes.extend(self.reaching(program, read, register).writes);
                }
            }
        }
        web
    }

    /// Adds the last writes in a range of a block. Returns true if no earlier write reaches the end of the
    /// range.
    fn last_writes(&self, register: Register, stretch: std::ops::Range<u32>, out: &mut Vec<u32>) -> bool {
        if let Some(last) = stretch.end.checked_sub(1).filter(|last| stretch.contains(last))
            && !is_kept(register)
            && self.calls_elsewhere.binary_search(&last).is_ok()
        {
            out.push(last);
        }
        for occurrence in self.within(register, &stretch).iter().rev() {
            if occurrence.writes {
                out.push(occurrence.inst);
            }
            if occurrence.kills {
                return true;
            }
        }
        false
    }

    /// Adds the reads in a range of a block that see the value at the start of the range. Returns true if the
    /// value does not reach the end of the range.
    fn first_reads(&self, register: Register, stretch: std::ops::Range<u32>, out: &mut Vec<u32>) -> bool {
        for occurrence in self.within(register, &stretch) {
            if occurrence.reads {
                out.push(occurrence.inst);
            }
            if occurrence.kills {
                return true;
            }
        }
        false
    }

    fn within(&self, register: Register, stretch: &std::ops::Range<u32>) -> &[Occurrence] {
        let Some(number) = self.registers.number(register) else { return &[] };
        let own = &self.occurrences[self.starts[number] as usize..self.starts[number + 1] as usize];
        let start = own.partition_point(|occurrence| occurrence.inst < stretch.start);
        let end = own.partition_point(|occurrence| occurrence.inst < stretch.end);
        own.get(start..end).unwrap_or(&[])
    }
}

/// Whether an instruction of a web reads or writes the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebAccess {
    pub reads: bool,
    pub writes: bool,
}

/// Groups the occurrences by register with a counting sort. Returns the start of each register's range, and
/// the occurrences.
fn occurrences(program: &Program, registers: &Registers) -> (Vec<u32>, Vec<Occurrence>) {
    let mut starts = vec![0_u32; registers.len() + 1];
    for access in &program.accesses {
        if let Some(number) = registers.number(access.register) {
            starts[number + 1] += 1;
        }
    }
    for number in 0..registers.len() {
        starts[number + 1] += starts[number];
    }
    let nothing = Occurrence { inst: 0, reads: false, writes: false, kills: false };
    let mut next = starts.clone();
    let mut all = vec![nothing; program.accesses.len()];
    for (inst, at) in program.instructions.iter().zip(0_u32..) {
        let mut put = |register, occurrence: Occurrence| {
            if let Some(number) = registers.number(register) {
                all[next[number] as usize] = occurrence;
                next[number] += 1;
            }
        };
        // Reads come first: an instruction that does both reads the old value.
        for access in program.reads(inst) {
            put(access.register, Occurrence { inst: at, reads: true, ..nothing });
        }
        for access in program.writes(inst) {
            let kills = inst.guard.is_none();
            put(access.register, Occurrence { inst: at, writes: true, kills, ..nothing });
        }
    }
    (starts, all)
}

/// Builds the graph of blocks and return nodes, and lists the calls that lead out of the kernel.
fn edges(program: &Program, isa: &Isa) -> (FlowGraph, Vec<u32>) {
    let flow = program.flow_with_calls();
    let mut successors: Vec<Vec<u32>> = flow.blocks().map(|block| flow.successors(block).to_vec()).collect();
    let mut elsewhere = Vec::new();
    // The blocks that call each function, by the first block of the function.
    let mut functions: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut returns = Vec::new();
    for (at, what) in conventions(program, isa) {
        let inst = &program.instructions[at as usize];
        match (what, inst.target) {
            (Convention::Call, Some(target)) => {
                functions.entry(program.instructions[target as usize].block).or_default().push(inst.block);
            }
            (Convention::Call, None) => elsewhere.push(at),
            (Convention::Return, _) => returns.push(inst.block),
            (Convention::None | Convention::Packed, _) => {}
        }
    }
    let apart = functions.len() <= FUNCTIONS_APART;
    let mut shared = None;
    for (&first, callers) in &functions {
        let node = if apart { None } else { shared };
        let node = node.unwrap_or_else(|| {
            successors.push(Vec::new());
            let node = successors.len() as u32 - 1;
            // A function's blocks are those reachable from its first block without following calls.
            let own = apart.then(|| program.flow.reached([first]));
            for &block in &returns {
                if own.as_ref().is_none_or(|own| own.contains(block as usize)) {
                    successors[block as usize].push(node);
                }
            }
            node
        });
        shared = Some(node);
        for &caller in callers {
            successors[node as usize].extend_from_slice(program.flow.successors(caller));
        }
    }
    (FlowGraph::new(successors), elsewhere)
}
