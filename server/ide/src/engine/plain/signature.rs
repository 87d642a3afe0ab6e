//! Signatures of instructions, as clients get them.

use std::ops::Range;

/// An opcode with the roles of its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// `LDG.E.64 Pd?, Rd, [address]`: a `?` follows an optional operand.
    pub label: String,
    /// One sentence: what the opcode does.
    pub summary: String,
    pub operands: Vec<SignatureOperand>,
    /// The operand at the cursor.
    pub active: usize,
}

/// One operand of a signature: its place in the label and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureOperand {
    /// Bytes of the label.
    pub label: Range<usize>,
    /// Markdown.
    pub meaning: String,
}
