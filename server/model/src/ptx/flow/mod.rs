//! Control flow of a function: instructions in basic blocks, and the successors of each block.

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
    /// Index of the instruction's statement.
    pub statement: u32,
    pub behaviour: Behaviour,
    pub is_guarded: bool,
    /// Index of the basic block that contains the instruction.
    pub block: u32,
}

/// A basic block: if its first instruction executes, all other instructions execute, subject to their guards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Indices of the block's instructions; never empty.
    pub instructions: Range<u32>,
    /// True if control may leave the function at the end of the block.
    pub leaves: bool,
    /// True if a path from the function's entry leads to the block.
    pub is_reached: bool,
}

impl Flow {
    /// Builds the control flow of an item; `None` if the item is not a function with a body.
    pub fn build(item: &Item, names: &Names, ptx: &Ptx) -> Option<Self> {
        item.function()?.body?;
        Some(blocks::flow(item, names, ptx))
    }

    /// Returns the instructions, in source order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the basic blocks, in source order. The first block is the function's entry.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// False if a jump has a target that is unknown in the source. Code that seems unreachable may then be
    /// reachable.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the instruction index of a statement. `None` for statements that are not instructions.
    pub fn node_of(&self, statement: u32) -> Option<u32> {
        self.nodes.binary_search_by_key(&statement, |node| node.statement).ok().map(|at| at as u32)
    }

    /// Returns the control-flow graph. The successors of each block are in ascending order.
    pub fn graph(&self) -> &FlowGraph {
        &self.graph
    }
}
