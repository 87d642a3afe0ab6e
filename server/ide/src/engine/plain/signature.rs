//! Instruction signatures in the form that clients receive.

use std::ops::Range;

/// An opcode with the meanings of its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Label of the signature: `LDG.E.64 Pd?, Rd, [address]`. A `?` follows an optional operand.
    pub label: String,
    /// One sentence that describes the operation of the opcode.
    pub summary: String,
    pub operands: Vec<SignatureOperand>,
    /// Index of the operand at the cursor.
    pub active: usize,
}

/// An operand of a signature: its range in the label, and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureOperand {
    /// Byte range in the label of the signature.
    pub label: Range<usize>,
    /// Meaning of the operand, in Markdown.
    pub meaning: String,
}
