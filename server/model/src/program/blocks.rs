//! Basic blocks, and the flow of control between them.

use super::instruction::{Block, Inst};
use crate::flow::FlowGraph;
use machine::Flow;
use std::ops::Range;

/// Facts about control flow that decoding finds in addition to [`Inst::target`].
#[derive(Debug, Default)]
pub(super) struct Jumps {
    /// Instructions that end a block although control may continue at the next instruction, in ascending order.
    pub falls_through: Vec<u32>,
    /// Indirect branches, each with the instructions that the branch may lead to.
    pub lists: Vec<(u32, Vec<u32>)>,
}

/// Divides the instructions into blocks and sets the `block` of each instruction. Returns the blocks and
/// their successors.
pub(super) fn blocks(instructions: &mut [Inst], jumps: &Jumps) -> (Vec<Block>, FlowGraph) {
    let ranges = ranges(instructions, jumps);
    for (index, range) in ranges.iter().enumerate() {
        for inst in &mut instructions[range.start as usize..range.end as usize] {
            inst.block = index as u32;
        }
    }
    let block_of = |instruction: u32| instructions[instruction as usize].block;
    let after = |index: usize| (index + 1 < ranges.len()).then_some(index as u32 + 1);
    let mut all = Vec::with_capacity(ranges.len());
    for (index, range) in ranges.iter().enumerate() {
        let last = range.end - 1;
        let inst = &instructions[last as usize];
        let goes_on = jumps.falls_through.binary_search(&last).is_ok();
        let mut successors: Vec<u32> = Vec::new();
        match inst.flow {
            Flow::Next | Flow::Barrier | Flow::Call => successors.extend(after(index)),
            Flow::Branch => {
                successors.extend(inst.target.map(block_of));
                // A branch to an unknown target (a return from a divergent region) may also continue after it.
                if goes_on || inst.target.is_none() {
                    successors.extend(after(index));
                }
            }
            Flow::IndirectBranch => {
                if let Ok(list) = jumps.lists.binary_search_by_key(&last, |&(at, _)| at) {
                    successors.extend(jumps.lists[list].1.iter().map(|&target| block_of(target)));
                }
                if goes_on {
                    successors.extend(after(index));
                }
            }
            Flow::Exit => {
                if goes_on {
                    successors.extend(after(index));
                }
            }
        }
        successors.sort_unstable();
        successors.dedup();
        all.push(successors);
    }
    let flow = FlowGraph::new(all);
    (ranges.into_iter().map(|instructions| Block { instructions }).collect(), flow)
}

fn ranges(instructions: &[Inst], jumps: &Jumps) -> Vec<Range<u32>> {
    let count = instructions.len();
    let mut starts = vec![false; count];
    if let Some(first) = starts.first_mut() {
        *first = true;
    }
    for (index, inst) in instructions.iter().enumerate() {
        if let Some(target) = inst.target {
            starts[target as usize] = true;
        }
        if !matches!(inst.flow, Flow::Next | Flow::Barrier) && index + 1 < count {
            starts[index + 1] = true;
        }
    }
    for &target in jumps.lists.iter().flat_map(|(_, targets)| targets) {
        starts[target as usize] = true;
    }
    let begins = starts.iter().enumerate().filter(|&(_, &starts)| starts).map(|(at, _)| at as u32);
    let ends = begins.clone().skip(1).chain([count as u32]);
    begins.zip(ends).map(|(begin, end)| begin..end).collect()
}
