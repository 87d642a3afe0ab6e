//! A kernel with new control codes, as clients get it.

use super::prediction::PredictedCycles;
use crate::TextEdit;

/// A kernel with new control codes.
#[derive(Debug, Clone)]
pub struct ScheduledKernel {
    /// The function's name in the listing.
    pub name: String,
    /// In text order, in bytes of the whole text.
    pub edits: Vec<TextEdit>,
    pub instructions: usize,
    /// Instructions with a new control code, moved ones included.
    pub changed: usize,
    /// Instructions at another place than before.
    pub moved: usize,
    /// Values in another register than before.
    pub renamed: usize,
    /// `None` where the GPU is not calibrated, or for another architecture than the text.
    pub predicted: Option<PredictedCycles>,
    /// The GPU that the cycles are predicted for, and why that one.
    pub gpu: String,
    /// Each instruction in the new order: its new and its old address, and its words.
    pub code: Vec<PlacedInstruction>,
}

/// An instruction of 128 bits in its new place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedInstruction {
    pub address: u32,
    /// The old address, and the words there, low word first.
    pub from: u32,
    pub old_words: [u64; 2],
    pub words: [u64; 2],
}

/// Changes that are allowed in addition to the control codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freedom {
    /// The order of instructions within their blocks.
    pub reorder: bool,
    /// Moves values to other registers where operands share a bank.
    pub rename: bool,
}
