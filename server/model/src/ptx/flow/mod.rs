//! Control flow of a function: its instructions in basic blocks, and where each leads.

mod blocks;
mod control;
#[cfg(test)]
mod tests;

pub use control::Control;

use super::Names;
use crate::flow::FlowGraph;
use machine::ptx::{Behaviour, Ptx};
use std::ops::Range;
use syntax::ptx::Item;

/// The control flow of a function's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    graph: FlowGraph,
    is_whole: bool,
}

/// An instruction as control flow sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Index of its statement.
    pub statement: u32,
    pub behaviour: Behaviour,
    pub is_guarded: bool,
    /// Index of its block.
    pub block: u32,
}

/// Instructions of which all are executed where the first is, up to those whose guard does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Indices of its instructions; never empty.
    pub instructions: Range<u32>,
    /// Control may leave the function at its end.
    pub leaves: bool,
    /// True if some path from the function's start leads here.
    pub is_reached: bool,
}

impl Flow {
    /// `None` for what is no function with a body.
    pub fn build(item: &Item, names: &Names, ptx: &Ptx) -> Option<Self> {
        item.function()?.body?;
        Some(blocks::flow(item, names, ptx))
    }

    /// Its instructions, in text order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// In text order; the function starts with the first.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// False where a jump leads to what is not in the text: then nothing is known of what is not reached.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The instruction of a statement. `None` for other statements.
    pub fn node_of(&self, statement: u32) -> Option<u32> {
        self.nodes.binary_search_by_key(&statement, |node| node.statement).ok().map(|at| at as u32)
    }

    /// The blocks that may follow each, ascending.
    pub fn graph(&self) -> &FlowGraph {
        &self.graph
    }
}
