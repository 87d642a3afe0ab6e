//! Instructions that cost more than they look, and what ptxas takes at most.

use super::Ptx;
use crate::{Known, Source};

/// An instruction that costs more than it looks.
#[derive(Debug, Clone)]
pub struct Costly {
    /// Modifiers that it has.
    pub(super) words: Box<[Box<str>]>,
    pub kind: CostKind,
    /// Machine instructions that ptxas makes of one. `None` where it is one, of a slow pipe.
    pub instructions: Option<u32>,
    pub source: Source,
}

/// Reason for which an instruction is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostKind {
    /// A quotient or a remainder of integers.
    Division,
    /// The correctly rounded form where an approximation exists.
    Rounding,
    /// Double-precision arithmetic.
    Double,
}

impl Ptx {
    /// Returns the reason for which the instruction of this opcode and these modifiers (without dots) is costly. `None`
    /// for others.
    pub fn costly<'m>(
        &self,
        opcode: &str,
        modifiers: &(impl Iterator<Item = &'m str> + Clone),
    ) -> Option<&Costly> {
        let rows = self.costly.get(opcode)?;
        let has = |word: &str| modifiers.clone().any(|have| have == word);
        rows.iter().find(|row| row.words.iter().all(|word| has(word)))
    }

    /// Bytes of shared memory that a kernel may declare at most.
    pub fn static_shared_bytes(&self) -> Option<&Known<u32>> {
        self.static_shared_bytes.as_ref()
    }
}
