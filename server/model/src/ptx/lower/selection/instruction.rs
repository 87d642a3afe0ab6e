//! SASS instructions as text fragments with unallocated registers.

use crate::ptx::lower::coalescing::Web;

/// A SASS instruction.
#[derive(Debug, Clone)]
pub(in crate::ptx::lower) struct MachineInstruction {
    pub pieces: Vec<Fragment>,
    /// Fragments of an equivalent instruction on another pipe; `None` if no equivalent is known.
    pub other: Option<Vec<Fragment>>,
    /// Index of the PTX statement that the instruction is generated from.
    pub origin: u32,
}

/// A fragment of an instruction's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ptx::lower) enum Fragment {
    Text(Box<str>),
    General(Web, u8),
    Predicate(Web),
    /// Address of the first instruction of a block.
    Block(u32),
}

impl Fragment {
    pub(in crate::ptx::lower) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Returns the fragments of an instruction with these operands.
pub(super) fn written(mnemonic: &str, operands: &[Vec<Fragment>]) -> Vec<Fragment> {
    let mut pieces = vec![Fragment::text(mnemonic)];
    let mut separator = " ";
    for operand in operands {
        pieces.push(Fragment::text(separator));
        pieces.extend_from_slice(operand);
        separator = ", ";
    }
    pieces
}
