//! Code actions on the text of a kernel, as clients receive them.

use super::TextEdit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The instructions that get new control codes, and what else changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScheduleScope {
    Instruction,
    Block,
    Kernel,
    /// The block, with its instructions in the order that is predicted to be fastest.
    BlockReordered,
    /// The kernel, with other registers for values whose registers conflict in one bank.
    KernelRenamed,
}

/// An action to offer. Its edits are requested by its offset and scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleAction {
    /// `Compute control codes of this block`.
    pub title: String,
    pub scope: ScheduleScope,
}

/// An action that follows advice: a step of the paper, or a change of CUDA source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceAction {
    /// `BW: 2 LDS could be 1 LDS.64 (mem 0.50 -> 0.00, estimated for Tesla K20m)`.
    pub title: String,
    pub edit: AdviceEdit,
    /// Sentences on the step's effect and requirements; empty if the title is sufficient.
    pub explanation: String,
    /// True if the program's results may change, within what the title states.
    pub changes_results: bool,
}

/// Source of an action's edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdviceEdit {
    Ready(Vec<TextEdit>),
    /// Edits are computed by [`crate::Analysis::schedule_edits`] for this scope.
    Codes(ScheduleScope),
}

impl AdviceAction {
    /// An action without an explanation that keeps the program's results.
    pub(crate) fn new(title: String, edit: AdviceEdit) -> Self {
        Self { title, edit, explanation: String::new(), changes_results: false }
    }

    pub(crate) fn ready(title: String, edits: Vec<TextEdit>) -> Self {
        Self::new(title, AdviceEdit::Ready(edits))
    }

    /// The text after the step; `None` if its edits are not computed yet.
    pub fn edited_text(&self, text: &str) -> Option<String> {
        match &self.edit {
            AdviceEdit::Ready(edits) => Some(TextEdit::apply(edits, text)),
            AdviceEdit::Codes(_) => None,
        }
    }
}

/// Why the control codes of a kernel were not written; one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotScheduled(pub String);

impl fmt::Display for NotScheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Assembler in whose notation instructions are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Assembler {
    /// Maxwell and Pascal.
    Maxas,
    /// From Volta on.
    TuringAs,
    /// Kepler.
    KeplerAs,
    /// From Maxwell on.
    CuAssembler,
}

/// Instructions in an assembler's notation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Lines, each with its line end.
    pub text: String,
    /// The assembler's usual name.
    pub assembler: &'static str,
    pub instructions: usize,
}
