//! Results of computing a kernel's control codes.

use super::prediction::PredictedCycles;
use crate::TextEdit;

/// A kernel with new control codes.
#[derive(Debug, Clone)]
pub struct ScheduledKernel {
    /// Name of the function in the listing.
    pub name: String,
    /// Edits in text order, with offsets in the complete text.
    pub edits: Vec<TextEdit>,
    pub instructions: usize,
    /// Number of instructions with a new control code, including moved instructions.
    pub changed: usize,
    /// Number of instructions at a new position.
    pub moved: usize,
    /// Number of values that were moved to another register.
    pub renamed: usize,
    /// Predicted cycles before and after. `None` if the GPU is not calibrated, or if the GPU and the
    /// listing have different architectures.
    pub predicted: Option<PredictedCycles>,
    /// The GPU that the cycles are predicted for, and why it was chosen.
    pub gpu: String,
    /// Instructions in the new order, with new and old address and words. Empty if an instruction has
    /// no 128-bit encoding.
    pub code: Vec<PlacedInstruction>,
}

/// A 128-bit instruction at its new address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedInstruction {
    pub address: u32,
    /// Address of the instruction in the original order. `old_words` and `words` start with the low
    /// word.
    pub from: u32,
    pub old_words: [u64; 2],
    pub words: [u64; 2],
}

/// Allowed changes other than new control codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AllowedChanges {
    /// Reorders instructions within their blocks.
    pub reorder: bool,
    /// Moves values to other registers if operands share a bank.
    pub rename: bool,
}
