//! Control flow of a function, built before its values: basic blocks from [`Flow`], dominators and loops.

use crate::flow::{BlockId, DominatorTree, FlowGraph, LoopForest};
use crate::ptx::flow::Flow;
use machine::ptx::ControlFlow;
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::ptx::{Item, StatementKind};

/// Basic blocks of an item's statements. The last block is empty and represents the end of the body.
#[derive(Debug)]
pub(super) struct Graph {
    /// Statements of each block, including labels and declarations.
    pub statements: Vec<Range<usize>>,
    pub flow: FlowGraph,
    pub dominators: DominatorTree,
    pub loops: LoopForest,
    labels: FxHashMap<Box<str>, BlockId>,
}

impl Graph {
    pub(super) fn build(item: &Item, code: &Flow) -> Self {
        let flow = with_end(code);
        // Unreachable blocks are additional roots. Each block therefore has a position in the dominator tree.
        let (_, roots) = flow.reverse_postorder([0]);
        let (dominators, loops) = LoopForest::from_roots(&flow, &roots);
        Self { statements: statements(item, code), flow, dominators, loops, labels: labels(item, code) }
    }

    /// Returns the block that a label starts; `None` for an unknown label.
    pub(super) fn label(&self, name: &str) -> Option<BlockId> {
        self.labels.get(name).copied()
    }

    /// Returns the immediate dominator of a block; `None` if the block has no dominator.
    pub(super) fn dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators.parent(block).filter(|&above| (above as usize) < self.flow.len())
    }
}

/// Returns the control-flow graph with an additional last block for the end of the body. Jumps to the end
/// lead to this block.
fn with_end(code: &Flow) -> FlowGraph {
    let end = code.blocks().len() as BlockId;
    let next = code.graph().blocks().zip(code.blocks()).map(|(block, own)| {
        let last = code.nodes()[own.instructions.end as usize - 1].behaviour.flow;
        let reaches_end = own.leaves && matches!(last, ControlFlow::Next | ControlFlow::Jump);
        let following = code.graph().successors(block).iter().copied();
        following.chain(reaches_end.then_some(end)).collect::<Vec<_>>()
    });
    FlowGraph::new(next.chain([Vec::new()]))
}

/// Returns the statement range of each block. The range starts after the last instruction of the previous
/// block.
fn statements(item: &Item, code: &Flow) -> Vec<Range<usize>> {
    let mut start = item.function().and_then(|function| function.body).map_or(0, |open| open as usize + 1);
    let ends = code.blocks().iter().map(|block| {
        let last = code.nodes()[block.instructions.end as usize - 1];
        last.statement as usize + 1
    });
    let range = |end| std::mem::replace(&mut start, end)..end;
    ends.chain([item.statements().len()]).map(range).collect()
}

/// Returns the block that each label starts, by label name.
fn labels(item: &Item, code: &Flow) -> FxHashMap<Box<str>, BlockId> {
    let labels = item.statements().iter().zip(0..).filter(|(own, _)| own.kind == StatementKind::Label);
    labels
        .filter_map(|(label, statement)| {
            let name = item.token_text(item.tokens_of(label.tokens).first()?);
            let next = code.nodes().partition_point(|node| node.statement < statement);
            let block = code.nodes().get(next).map_or(code.blocks().len() as BlockId, |node| node.block);
            Some((name.into(), block))
        })
        .collect()
}
