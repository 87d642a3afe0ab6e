//! Results of computing a kernel's control codes.

use super::prediction::PredictedCycles;
use crate::TextEdit;

/// A kernel with new control codes.
#[derive(Debug, Clone)]
pub struct ScheduledKernel {
    /// The function's name in the listing.
    pub name: String,
    /// Edits in text order, with offsets in the whole text.
    pub edits: Vec<TextEdit>,
    pub instructions: usize,
    /// Instructions with a new control code, moved ones included.
    pub changed: usize,
    /// Instructions whose position has changed.
    pub moved: usize,
    /// Values that were moved to another register.
    pub renamed: usize,
    /// `None` if the GPU is not calibrated, or if its architecture is not that of the text.
    pub predicted: Option<PredictedCycles>,
    /// The GPU that the cycles are predicted for, and why it was chosen.
    pub gpu: String,
    /// Each instruction in the new order: its new and its old address, and its words.
    pub code: Vec<PlacedInstruction>,
}

/// A 128-bit instruction at its new address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedInstruction {
    pub address: u32,
    /// The old address, and the words there; low words come first.
    pub from: u32,
    pub old_words: [u64; 2],
    pub words: [u64; 2],
}

/// Changes that are allowed in addition to the control codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freedom {
    /// Reorders instructions within their blocks.
    pub reorder: bool,
    /// Moves values to other registers if operands share a bank.
    pub rename: bool,
}
