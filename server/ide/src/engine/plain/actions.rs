//! Code actions on the text of a kernel, as clients get them.

use super::TextEdit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Scope of new codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScheduleScope {
    Instruction,
    Block,
    Kernel,
    /// The block's instructions in the order that is predicted to be quickest.
    BlockReordered,
    /// The kernel's, with other registers for values that meet in one bank.
    KernelRenamed,
}

/// Something to offer. Its edits are asked for by its place and scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleAction {
    /// `Compute control codes of this block`.
    pub title: String,
    pub scope: ScheduleScope,
}

/// A step to offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceAction {
    /// `BW: 2 LDS could be 1 LDS.64 (mem 0.50 -> 0.00, estimated for Tesla K20m)`.
    pub title: String,
    pub edit: AdviceEdit,
    /// Sentences on what the step does and needs; empty where the title says all.
    pub explanation: String,
    /// The program's results may be others, within what the title says.
    pub changes_results: bool,
}

/// Source of an action's edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdviceEdit {
    Ready(Vec<TextEdit>),
    /// Edits that [`crate::Analysis::schedule_edits`] gives.
    Codes(ScheduleScope),
}

impl AdviceAction {
    /// One whose title says all and that leaves results as they are.
    pub(crate) fn new(title: String, edit: AdviceEdit) -> Self {
        Self { title, edit, explanation: String::new(), changes_results: false }
    }

    pub(crate) fn ready(title: String, edits: Vec<TextEdit>) -> Self {
        Self::new(title, AdviceEdit::Ready(edits))
    }

    /// The text with the step taken; `None` where its edits are not known yet.
    pub fn edited_text(&self, text: &str) -> Option<String> {
        match &self.edit {
            AdviceEdit::Ready(edits) => Some(TextEdit::apply(edits, text)),
            AdviceEdit::Codes(_) => None,
        }
    }
}

/// Why a kernel's codes were not written; one line.
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

/// Instructions as an assembler has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Lines, each with its end.
    pub text: String,
    /// The assembler, as its users call it.
    pub assembler: &'static str,
    pub instructions: usize,
}
