//! Live ranges of values.

use super::ir::{Body, Kind, NOWHERE, ValueId};
use syntax::stop;

/// Position in a function. Node `i`, counted over all blocks, reads at `2i` and writes at `2i + 1`.
pub(super) type ProgramPoint = u32;

/// Live ranges of each value: disjoint segments in ascending order, from the write to the last reads.
#[derive(Debug)]
pub(super) struct LiveRanges {
    pub segments: Vec<Vec<(ProgramPoint, ProgramPoint)>>,
    /// First position of each block.
    starts: Vec<ProgramPoint>,
}

impl LiveRanges {
    /// True if a value is live at the start of a block.
    pub(super) fn is_live_in(&self, value: ValueId, block: u32) -> bool {
        let start = self.starts[block as usize];
        self.segments[value as usize].iter().any(|&(from, to)| from <= start && start < to)
    }

    /// Computes the live ranges. If the expansion of a node has several steps, its operands stay live beyond
    /// the first write.
    pub(super) fn compute(body: &Body) -> Self {
        let mut starts = Vec::with_capacity(body.blocks.len() + 1);
        let mut place = vec![0; body.nodes.len()];
        let mut at = 0;
        for block in &body.blocks {
            starts.push(2 * at);
            for &id in &block.nodes {
                place[id as usize] = 2 * at;
                at += 1;
            }
            // Reserves a position for nodes that are added at the end of a block.
            at += 1;
        }
        starts.push(2 * at);
        let mut walk = Walk {
            body,
            segments: vec![Vec::new(); body.values.len()],
            starts,
            written: vec![0; body.values.len()],
            seen: vec![ValueId::MAX; body.blocks.len()],
        };
        for block in &body.blocks {
            for &id in &block.nodes {
                let node = &body.nodes[id as usize];
                for &value in &node.results {
                    let is_phi = node.kind == Kind::Phi;
                    walk.written[value as usize] =
                        if is_phi { walk.starts[node.block as usize] } else { place[id as usize] + 1 };
                }
            }
        }
        let mut uses: Vec<Vec<(u32, ProgramPoint)>> = vec![Vec::new(); body.values.len()];
        for (index, block) in body.blocks.iter().enumerate() {
            for &id in &block.nodes {
                let node = &body.nodes[id as usize];
                if node.kind == Kind::Phi {
                    for (arg, &from) in node.args.iter().zip(body.flow.predecessors(index as u32)) {
                        let end = walk.starts[from as usize + 1] - 1;
                        uses[arg.value as usize].push((from, end));
                    }
                } else {
                    let at = place[id as usize] + 2 * u32::from(body.opcode(node).reads_on());
                    for value in node.reads() {
                        uses[value as usize].push((index as u32, at));
                    }
                    // The old value of a result is in the register that the result overwrites.
                    for &value in &node.previous {
                        if let Some(last) = uses[value as usize].last_mut() {
                            last.1 = place[id as usize];
                        }
                    }
                }
            }
        }
        for (value, uses) in uses.iter().enumerate() {
            stop::check_at(value);
            walk.value(value as ValueId, uses);
        }
        Self { segments: walk.segments, starts: walk.starts }
    }

    /// True if both values are live at the same point.
    pub(super) fn interfere(&self, one: ValueId, other: ValueId) -> bool {
        let (left, right) = (&self.segments[one as usize], &self.segments[other as usize]);
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
            if a.0 < b.1 && b.0 < a.1 {
                return true;
            }
            if a.1 <= b.1 { i += 1 } else { j += 1 }
        }
        false
    }
}

struct Walk<'a> {
    body: &'a Body,
    segments: Vec<Vec<(ProgramPoint, ProgramPoint)>>,
    /// First position of each block, and the end position of the last block.
    starts: Vec<ProgramPoint>,
    written: Vec<ProgramPoint>,
    /// For each block, the last value that was found to be live at the start of the block.
    seen: Vec<ValueId>,
}

impl Walk<'_> {
    fn value(&mut self, value: ValueId, uses: &[(u32, ProgramPoint)]) {
        let home = self.body.node_of(value).block;
        if home == NOWHERE {
            return;
        }
        let written = self.written[value as usize];
        let mut segments = vec![(written, written + 1)];
        let mut stack = Vec::new();
        let mut reach = |block: u32, until: ProgramPoint, stack: &mut Vec<u32>, starts: &[ProgramPoint]| {
            if block == home && until > written {
                segments.push((written, until));
            } else {
                segments.push((starts[block as usize], until));
                stack.push(block);
            }
        };
        for &(block, at) in uses {
            reach(block, at, &mut stack, &self.starts);
        }
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut self.seen[block as usize], value) == value {
                continue;
            }
            for &from in self.body.flow.predecessors(block) {
                let end = self.starts[from as usize + 1];
                if from == home || self.seen[from as usize] != value {
                    reach(from, end, &mut stack, &self.starts);
                }
            }
        }
        segments.sort_unstable();
        let mut joined: Vec<(ProgramPoint, ProgramPoint)> = Vec::with_capacity(segments.len());
        for (from, to) in segments {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        self.segments[value as usize] = joined;
    }
}
