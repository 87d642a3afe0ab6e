//! Control flow for all languages: a graph, its dominators and loops, and a dataflow solver.

mod dominators;
mod graph;
mod loops;
mod solver;
#[cfg(test)]
mod tests;

pub(crate) use dominators::DominatorTree;
pub use graph::{Direction, FlowGraph};
pub(crate) use loops::LoopForest;
pub use solver::{Analysis, solve, unite};

/// An index of a basic block, or of another kind of node of a [`FlowGraph`].
pub type BlockId = u32;
