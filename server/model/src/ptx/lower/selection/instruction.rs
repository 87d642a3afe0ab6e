//! SASS instructions as text, with registers that are not numbered yet.

use crate::ptx::lower::coalescing::Web;

/// An instruction of SASS.
#[derive(Debug, Clone)]
pub(in crate::ptx::lower) struct MachineInstruction {
    pub pieces: Vec<Fragment>,
    /// The text of an equivalent instruction on another pipe, if there is one.
    pub other: Option<Vec<Fragment>>,
    /// The PTX statement that it is for.
    pub origin: u32,
}

/// A piece of an instruction's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ptx::lower) enum Fragment {
    Text(Box<str>),
    General(Web, u8),
    Predicate(Web),
    /// The address of a block's first instruction.
    Block(u32),
}

impl Fragment {
    pub(in crate::ptx::lower) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Returns the text of an instruction with these operands.
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
