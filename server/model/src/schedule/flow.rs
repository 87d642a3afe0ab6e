//! Control flow that control codes must respect, including calls and returns, and the loop depth of each
//! block.

use crate::Program;
use crate::flow::FlowGraph;
use machine::{Flow, Hardware, Successor, min_stalls};

/// Edges between blocks.
#[derive(Debug)]
pub(super) struct Edges {
    pub graph: FlowGraph,
    /// Loop depth of each block, where a loop is the code from a branch's target to the branch.
    pub depth: Vec<u32>,
}

impl Edges {
    pub(super) fn build(program: &Program) -> Self {
        let block_of = |inst: u32| program.instructions[inst as usize].block;
        let calls = program.flow_with_calls();
        let mut successors: Vec<Vec<u32>> =
            calls.blocks().map(|block| calls.successors(block).to_vec()).collect();
        let mut after_calls = Vec::new();
        let mut returns = Vec::new();
        for (index, block) in program.blocks.iter().enumerate() {
            let last = block.instructions.end - 1;
            let inst = &program.instructions[last as usize];
            match inst.flow {
                Flow::Call => after_calls.extend_from_slice(program.flow.successors(index as u32)),
                Flow::Exit if mnemonic(program, last) == "RET" => returns.push(index),
                // `SYNC`, `BRK`: to the targets that earlier instructions have pushed.
                Flow::Branch if inst.target.is_none() => {
                    successors[index].extend(program.meetings.iter().map(|&(_, to)| block_of(to)));
                }
                _ => {}
            }
        }
        for index in returns {
            successors[index].extend_from_slice(&after_calls);
        }
        for nexts in &mut successors {
            nexts.sort_unstable();
            nexts.dedup();
        }
        Self { graph: FlowGraph::new(successors), depth: depth(program) }
    }
}

/// Returns the loop depth of each block, where a loop is the code from a branch's target to the branch.
pub(super) fn depth(program: &Program) -> Vec<u32> {
    let mut starts = vec![0_u32; program.blocks.len() + 1];
    let mut ends = starts.clone();
    for (from, to) in program.flow.edges().filter(|(from, to)| to <= from) {
        starts[to as usize] += 1;
        ends[from as usize + 1] += 1;
    }
    let mut now = 0;
    let steps = starts.iter().zip(&ends).take(program.blocks.len());
    steps
        .map(|(starts, ends)| {
            now = now + starts - ends;
            now
        })
        .collect()
}

/// Returns an instruction's mnemonic without modifiers; empty for an unknown opcode.
pub(super) fn mnemonic(program: &Program, inst: u32) -> &str {
    program.instructions[inst as usize].opcode.map_or("", |id| &program.arch.isa.form(id).mnemonic)
}

/// Returns the minimum number of cycles that an instruction's form requires before a later instruction of the kind
/// `before`. `None` if the form has no such requirement.
pub(super) fn least_stall(program: &Program, inst: u32, before: Successor) -> Option<u32> {
    let form = program.arch.isa.form(program.instructions[inst as usize].opcode?);
    min_stalls(form, program.arch.sm).find(|&(_, later)| later == before).map(|(cycles, _)| cycles)
}

/// True if the instruction gives back registers of the warp. All earlier accesses must have ended when it issues, and no
/// later instruction may use a register before it is complete.
pub(super) fn releases_registers(program: &Program, inst: u32) -> bool {
    let opcode = program.instructions[inst as usize].opcode;
    opcode.is_some_and(|id| program.arch.isa.form(id).is_form("USETMAXREG", "DEALLOC"))
}

/// True if the instruction closes a group of the TMA unit's copies.
pub(super) fn closes_transfers(program: &Program, inst: u32) -> bool {
    mnemonic(program, inst) == "UTMACMDFLUSH"
}

/// True if unknown code may run next. Before such code, every access in flight must have ended.
pub(super) fn leaves(program: &Program, inst: u32) -> bool {
    let own = &program.instructions[inst as usize];
    match own.flow {
        Flow::Call => true,
        Flow::Exit => mnemonic(program, inst) == "RET",
        Flow::Branch => own.target.is_none() && program.meetings.is_empty(),
        Flow::IndirectBranch => {
            let following = own.block + 1;
            program.flow.successors(own.block).iter().all(|&next| next == following)
        }
        Flow::Next | Flow::Barrier => false,
    }
}

/// True if two instructions of a warp may issue in one cycle on this architecture. On architectures without dual issue,
/// the yield flag gives other warps precedence.
pub(super) fn issues_pairs(sm: u16) -> bool {
    Hardware::builtin().issues_pairs(sm)
}

/// True if the instruction gets stall count 0 with yield, which waits for everything in flight. ptxas writes this code
/// only for `ERRBAR` and for instructions that give back registers. The code is treated as a wait that takes no time.
pub(super) fn drains(program: &Program, inst: u32) -> bool {
    mnemonic(program, inst) == "ERRBAR" || releases_registers(program, inst)
}
