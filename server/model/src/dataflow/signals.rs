//! Which instructions along control flow come first, before or after another, with some trait.

use crate::Program;

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
        let first = self.program.blocks[block as usize].instructions.start as usize;
        let blocks = |block: u32| {
            let range = &self.program.blocks[block as usize].instructions;
            (range.start as usize..range.end as usize).rev()
        };
        search((first..inst).rev(), block, &self.predecessors, blocks, wanted, stops)
    }

    /// Instructions after `inst` that are `wanted`, on every way on up to one that `stops`; ascending.
    pub fn after(
        &self,
        inst: usize,
        wanted: impl Fn(usize) -> bool,
        stops: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let block = self.program.instructions[inst].block;
        let end = self.program.blocks[block as usize].instructions.end as usize;
        let blocks = |block: u32| {
            let range = &self.program.blocks[block as usize].instructions;
            range.start as usize..range.end as usize
        };
        let successors = self.program.blocks.iter().map(|block| block.successors.clone()).collect::<Vec<_>>();
        search(inst + 1..end, block, &successors, blocks, wanted, stops)
    }
}

fn search<I: Iterator<Item = usize>>(
    own: I,
    from: u32,
    edges: &[Vec<u32>],
    instructions: impl Fn(u32) -> I,
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
        let mut seen = vec![false; edges.len()];
        let mut waiting = edges[from as usize].clone();
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut seen[block as usize], true) && !walk(instructions(block)) {
                waiting.extend_from_slice(&edges[block as usize]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
