//! Which instructions along control flow come first, before or after another, with some trait.

use crate::Program;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Control flow in both directions, to be searched from an instruction.
#[derive(Debug)]
pub struct Signals<'a> {
    program: &'a Program,
    predecessors: Vec<Vec<u32>>,
}

impl<'a> Signals<'a> {
    /// In time linear in the number of blocks.
    pub fn new(program: &'a Program) -> Self {
        let mut predecessors = vec![Vec::new(); program.blocks.len()];
        for (index, block) in program.blocks.iter().enumerate() {
            for &next in &block.successors {
                predecessors[next as usize].push(index as u32);
            }
        }
        Self { program, predecessors }
    }

    /// Instructions before `inst` that are `wanted`, on every way back up to one that `stops`; ascending.
    ///
    /// One that stops and is wanted counts.
    pub fn before(
        &self,
        inst: usize,
        wanted: impl Fn(usize) -> bool,
        stops: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let block = self.program.instructions[inst].block;
        let own = (self.instructions(block).start..inst).rev();
        let others = |block| self.instructions(block).rev();
        let edges = |block: u32| self.predecessors[block as usize].as_slice();
        search(block, own, others, edges, wanted, stops)
    }

    /// Instructions after `inst` that are `wanted`, on every way on up to one that `stops`; ascending.
    pub fn after(
        &self,
        inst: usize,
        wanted: impl Fn(usize) -> bool,
        stops: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let block = self.program.instructions[inst].block;
        let own = inst + 1..self.instructions(block).end;
        let others = |block| self.instructions(block);
        let edges = |block: u32| self.program.blocks[block as usize].successors.as_slice();
        search(block, own, others, edges, wanted, stops)
    }

    fn instructions(&self, block: u32) -> Range<usize> {
        let range = &self.program.blocks[block as usize].instructions;
        range.start as usize..range.end as usize
    }
}

/// Searches what is left of the block that it starts in, then whole blocks along the edges, each once.
fn search<'p, I: Iterator<Item = usize>>(
    from: u32,
    own: I,
    instructions: impl Fn(u32) -> I,
    edges: impl Fn(u32) -> &'p [u32],
    wanted: impl Fn(usize) -> bool,
    stops: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut walk = |stretch: I| {
        for inst in stretch {
            if wanted(inst) {
                found.push(inst);
            }
            if stops(inst) {
                return true;
            }
        }
        false
    };
    if !walk(own) {
        let mut seen = FxHashSet::default();
        let mut waiting = edges(from).to_vec();
        while let Some(block) = waiting.pop() {
            syntax::stop::check();
            if seen.insert(block) && !walk(instructions(block)) {
                waiting.extend_from_slice(edges(block));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
