//! Code actions on a kernel in the form that clients receive.

use super::TextEdit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Instructions that get new control codes, and whether they are also reordered or get other registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScheduleScope {
    Instruction,
    Block,
    Kernel,
    /// The basic block, with its instructions in the order that is predicted to be fastest.
    BlockReordered,
    /// The kernel, after values that conflict in a register bank are moved to other registers.
    KernelRenamed,
}

/// A code action that computes control codes. A client requests its edits by offset and scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleAction {
    /// Title of the action: `Compute control codes of this block`.
    pub title: String,
    pub scope: ScheduleScope,
}

/// A code action that implements a recommendation: a step of the ICS'17 paper, or a change of CUDA source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceAction {
    /// Title of the action: `BW: 2 LDS could be 1 LDS.64 (mem 0.50 -> 0.00, estimated for Tesla K20m)`.
    pub title: String,
    pub edit: AdviceEdit,
    /// Sentences about the effect and requirements of the action. Empty if the title is sufficient.
    pub explanation: String,
    /// True if the results of the program may change. The title states the extent of the change.
    pub changes_results: bool,
}

/// Edits of an action: already computed, or computed on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdviceEdit {
    Ready(Vec<TextEdit>),
    /// Edits that [`crate::Analysis::schedule_edits`] computes for this scope.
    Codes(ScheduleScope),
}

impl AdviceAction {
    /// Creates an action that keeps the program's results and has no explanation.
    pub(crate) fn new(title: String, edit: AdviceEdit) -> Self {
        Self { title, edit, explanation: String::new(), changes_results: false }
    }

    pub(crate) fn ready(title: String, edits: Vec<TextEdit>) -> Self {
        Self::new(title, AdviceEdit::Ready(edits))
    }

    /// Returns the document's text after the action. `None` if the edits of the action are not computed yet.
    pub fn edited_text(&self, text: &str) -> Option<String> {
        match &self.edit {
            AdviceEdit::Ready(edits) => Some(TextEdit::apply(edits, text)),
            AdviceEdit::Codes(_) => None,
        }
    }
}

/// One-line reason why the control codes of a kernel were not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotScheduled(pub String);

impl fmt::Display for NotScheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Assembler whose syntax is used for copied instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Assembler {
    /// For Maxwell and Pascal.
    Maxas,
    /// For Volta and later.
    TuringAs,
    /// For Kepler.
    KeplerAs,
    /// For Maxwell and later.
    CuAssembler,
}

/// Copied instructions in the syntax of an assembler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedInstructions {
    /// Lines of the copy, each with a line break.
    pub text: String,
    /// Usual spelling of the assembler's name.
    pub assembler: &'static str,
    pub instructions: usize,
}
