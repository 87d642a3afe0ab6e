//! Control flow of a function: its instructions in basic blocks, and the successors of each.

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

/// An instruction and its effect on control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Index of its statement.
    pub statement: u32,
    pub behaviour: Behaviour,
    pub is_guarded: bool,
    /// Index of its block.
    pub block: u32,
}

/// A basic block: if its first instruction executes, so do all others whose guard holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Indices of its instructions; never empty.
    pub instructions: Range<u32>,
    /// True if control may leave the function at its end.
    pub leaves: bool,
    /// True if some path from the function's start leads here.
    pub is_reached: bool,
}

impl Flow {
    /// Builds the flow of an item; `None` if it is not a function with a body.
    pub fn build(item: &Item, names: &Names, ptx: &Ptx) -> Option<Self> {
        item.function()?.body?;
        Some(blocks::flow(item, names, ptx))
    }

    /// Returns the instructions, in text order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the blocks, in text order; the function starts with the first.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// False if a jump leads outside the text: code that seems unreached may then be reached.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the instruction of a statement. `None` for other statements.
    pub fn node_of(&self, statement: u32) -> Option<u32> {
        self.nodes.binary_search_by_key(&statement, |node| node.statement).ok().map(|at| at as u32)
    }

    /// Returns the graph of the blocks that may follow each, ascending.
    pub fn graph(&self) -> &FlowGraph {
        &self.graph
    }
}
