//! Groups of lanes of a diverged warp, and the order in which they run.
//!
//! A group runs before the groups that it may still meet: blocks run in a topological order of the control flow graph, with
//! the blocks of a loop before those after the loop. Source: Diamos et al., "SIMD Re-convergence at Thread Frontiers",
//! 2011.

use super::code::Frame;
use crate::Program;
use crate::flow::{BlockId, LoopForest};
use std::cmp::{Ordering, Reverse};
use syntax::stop;

/// Lanes of a warp that share a program counter.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub at: u32,
    pub lanes: u32,
    pub frames: Vec<(Frame, u32)>,
    /// The convergence barrier at which the group waits; `None` if the group can run.
    pub waits: Option<u8>,
}

/// Order of a program's instructions for diverged groups.
#[derive(Debug, Clone)]
pub(super) struct GroupOrder {
    /// Position of each instruction in the order. Positions within a block are consecutive.
    position: Box<[u32]>,
    /// Index after the last instruction of each instruction's block.
    block_end: Box<[u32]>,
}

impl Group {
    /// Returns the number of instructions that this group can run before it reaches `other` or `other` takes
    /// precedence. This group must be the one that runs first.
    pub(super) fn continues_in_parallel(&self, other: &Self, order: &GroupOrder) -> u32 {
        let between = order.position(other.at).checked_sub(order.position(self.at));
        match (between, other.frames.len().cmp(&self.frames.len())) {
            _ if other.waits.is_some() => u32::MAX,
            (_, Ordering::Greater) | (None | Some(0), Ordering::Equal) => 0,
            (None | Some(0), Ordering::Less) => u32::MAX,
            (Some(between), _) => (between - 1).min(order.left_in_block(self.at)),
        }
    }

    /// Returns the sort key of a group that can run: the group with the smallest key runs first. Groups inside more calls
    /// and reconvergence regions come first, because they meet the other groups only where these calls and regions end.
    pub(super) fn precedence(&self, order: &GroupOrder) -> (Reverse<usize>, u32) {
        (Reverse(self.frames.len()), order.position(self.at))
    }
}

impl GroupOrder {
    pub(super) fn compute(program: &Program) -> Self {
        let count = program.instructions.len();
        let (mut position, mut block_end) = (vec![0; count], vec![0; count]);
        let mut next = 0;
        for block in topological(program) {
            let own = program.blocks[block as usize].instructions.clone();
            for at in own.clone() {
                position[at as usize] = next;
                block_end[at as usize] = own.end;
                next += 1;
            }
        }
        Self { position: position.into(), block_end: block_end.into() }
    }

    /// Returns the position of an instruction in the order; `u32::MAX` for the end of the code.
    fn position(&self, at: u32) -> u32 {
        self.position.get(at as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the number of instructions from `at` (inclusive) to the end of its block.
    fn left_in_block(&self, at: u32) -> u32 {
        self.block_end.get(at as usize).map_or(0, |end| end - at)
    }
}

/// Returns all blocks in reverse postorder. The depth-first search visits blocks outside a loop before blocks inside it,
/// so the blocks of a loop precede the blocks after the loop. Otherwise, blocks are in the order of the text.
fn topological(program: &Program) -> Vec<BlockId> {
    let flow = &program.flow;
    let (_, roots) = flow.reverse_postorder((!flow.is_empty()).then_some(0));
    let (_, loops) = LoopForest::from_roots(flow, &roots);
    let visits = |block: BlockId| {
        let mut next = flow.successors(block).to_vec();
        // The walk takes the last one first.
        next.sort_by_key(|&next| (Reverse(loops.depth(next)), next));
        next
    };
    let mut is_seen = vec![false; flow.len()];
    let mut order = Vec::with_capacity(flow.len());
    for &root in roots.iter().rev() {
        let mut open: Vec<(BlockId, Vec<BlockId>)> = Vec::new();
        if !std::mem::replace(&mut is_seen[root as usize], true) {
            open.push((root, visits(root)));
        }
        while let Some((block, rest)) = open.last_mut() {
            stop::check();
            match rest.pop() {
                Some(next) if std::mem::replace(&mut is_seen[next as usize], true) => {}
                Some(next) => open.push((next, visits(next))),
                None => {
                    order.push(*block);
                    open.pop();
                }
            }
        }
    }
    order.reverse();
    order
}
