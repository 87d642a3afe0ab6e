//! Instructions that cost more than they look.

use crate::Source;
use serde::Deserialize;

/// An instruction that costs more than it looks.
#[derive(Debug, Clone)]
pub struct Costly {
    /// Modifiers that it must have.
    pub(super) words: Box<[Box<str>]>,
    pub kind: CostKind,
    /// SASS instructions that ptxas generates for it. `None` if it is a single one on a slow pipe.
    pub instructions: Option<u32>,
    pub source: Source,
}

/// Reason for which an instruction is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CostKind {
    /// A quotient or a remainder of integers.
    Division,
    /// The correctly rounded form where an approximation exists.
    Rounding,
    /// Double-precision arithmetic.
    Double,
}
