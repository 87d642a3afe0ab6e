//! Natural loops, and how they lie in each other.

use super::{BlockId, Graph};
use syntax::stop;

/// The number of loops around each block, and the header of the innermost one.
pub(super) fn find(graph: &Graph) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let is_reached = reached(graph);
    // What nothing leads to may lie in loops that do not lie in each other.
    let is_plain =
        graph.blocks.iter().zip(&is_reached).all(|(block, &reached)| reached || block.successors.is_empty());
    if is_plain { nested(graph) } else { one_by_one(graph) }
}

fn reached(graph: &Graph) -> Vec<bool> {
    let mut reached = vec![false; graph.blocks.len()];
    let mut stack: Vec<usize> = (!reached.is_empty()).then_some(0).into_iter().collect();
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            stack.extend(graph.blocks[block].successors.iter().map(|&next| next as usize));
        }
    }
    reached
}

/// Blocks from which branches lead back to a block that dominates them.
fn backs(graph: &Graph, header: BlockId) -> impl Iterator<Item = BlockId> {
    let before = graph.blocks[header as usize].predecessors.iter().copied();
    before.filter(move |&from| graph.dominates(header, from))
}

/// Inner loops first, each of which stands as one block in those around it: Tarjan, "Testing Flow Graph Reducibility"
/// (1974). In time almost linear.
fn nested(graph: &Graph) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let count = graph.blocks.len();
    let mut headers: Vec<BlockId> =
        (0..count as BlockId).filter(|&block| backs(graph, block).next().is_some()).collect();
    headers.sort_unstable_by_key(|&header| graph.span[header as usize].0);
    let mut stands: Vec<BlockId> = (0..count as BlockId).collect();
    // By block the loop around it; a header's is the one around its own.
    let mut around: Vec<Option<BlockId>> = vec![None; count];
    for (step, &header) in headers.iter().enumerate().rev() {
        stop::check_at(step);
        let mut stack: Vec<BlockId> = backs(graph, header).map(|from| root(&mut stands, from)).collect();
        while let Some(block) = stack.pop() {
            if block == header || stands[block as usize] != block {
                continue;
            }
            stands[block as usize] = header;
            around[block as usize] = Some(header);
            for &from in &graph.blocks[block as usize].predecessors {
                stack.push(root(&mut stands, from));
            }
        }
    }
    let mut depth_of = vec![0_u32; count];
    for &header in &headers {
        depth_of[header as usize] = 1 + around[header as usize].map_or(0, |around| depth_of[around as usize]);
        around[header as usize] = Some(header);
    }
    let depth = around.iter().map(|header| header.map_or(0, |header| depth_of[header as usize])).collect();
    (depth, around)
}

/// The block that a block stands for by now, with ways to it made shorter.
fn root(stands: &mut [BlockId], block: BlockId) -> BlockId {
    let mut at = block;
    while stands[at as usize] != at {
        let next = stands[at as usize];
        stands[at as usize] = stands[next as usize];
        at = next;
    }
    at
}

/// The outer ones first, so that the innermost header stays; each loop is walked.
fn one_by_one(graph: &Graph) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let count = graph.blocks.len();
    // By block the last walk that came to it.
    let mut seen = vec![0_u32; count];
    let mut walks = 0;
    let mut walk = |header: BlockId, visit: &mut dyn FnMut(BlockId)| {
        stop::check();
        walks += 1;
        let mut stack: Vec<BlockId> = backs(graph, header).collect();
        if stack.is_empty() {
            return;
        }
        seen[header as usize] = walks;
        visit(header);
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut seen[block as usize], walks) != walks {
                visit(block);
                stack.extend(&graph.blocks[block as usize].predecessors);
            }
        }
    };
    let mut sizes: Vec<(usize, BlockId)> = Vec::new();
    for header in 0..count as BlockId {
        let mut size = 0;
        walk(header, &mut |_| size += 1);
        if size > 0 {
            sizes.push((size, header));
        }
    }
    sizes.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
    let (mut depth, mut innermost) = (vec![0; count], vec![None; count]);
    for (_, header) in sizes {
        walk(header, &mut |block| {
            depth[block as usize] += 1;
            innermost[block as usize] = Some(header);
        });
    }
    (depth, innermost)
}
