//! The findings of a run.

use super::finding::Finding;

/// Findings of a run, in the order of files and, within one, of places; and the number of files checked.
#[derive(Debug, Default)]
pub(in crate::cli) struct Outcome {
    pub(in crate::cli) findings: Vec<Finding>,
    pub(in crate::cli) files_checked: usize,
}
