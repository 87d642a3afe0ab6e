//! Signatures of instructions, as clients receive them.

use std::ops::Range;

/// An opcode with the roles of its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// `LDG.E.64 Pd?, Rd, [address]`: a `?` follows an optional operand.
    pub label: String,
    /// One sentence: what the opcode does.
    pub summary: String,
    pub operands: Vec<SignatureOperand>,
    /// Index of the operand at the cursor.
    pub active: usize,
}

/// One operand of a signature: its range in the label and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureOperand {
    /// Byte range in the signature's label.
    pub label: Range<usize>,
    /// The meaning, in Markdown.
    pub meaning: String,
}
