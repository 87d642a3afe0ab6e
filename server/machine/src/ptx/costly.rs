//! Instructions that cost more than their PTX suggests.

use crate::Source;
use serde::Deserialize;

/// An instruction that costs more than its PTX suggests.
#[derive(Debug, Clone)]
pub struct CostlyInstruction {
    /// Modifiers that the instruction must have.
    pub(super) words: Box<[Box<str>]>,
    pub kind: CostKind,
    /// Number of SASS instructions that ptxas generates for the instruction. `None` for a single SASS
    /// instruction on a slow pipe.
    pub instructions: Option<u32>,
    pub source: Source,
}

/// Reason why an instruction is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CostKind {
    /// A quotient or a remainder of integers.
    Division,
    /// The correctly rounded form of an operation that also has an approximation.
    Rounding,
    /// Double-precision arithmetic.
    Double,
}
