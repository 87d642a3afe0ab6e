//! Use of the accumulator by a warpgroup MMA (`HGMMA`, ...). The MMA adds to the accumulator or overwrites
//! it.

use syntax::sass::{Chunk, Instruction, TokenKind};

/// Whether a warpgroup MMA reads its accumulator, with the index of the operand that names the accumulator.
///
/// Source: SASS that ptxas 13.5 generates for `sm_90a` from `wgmma.mma_async`: `RZ, !UPT` if scale-d is the constant
/// 0, no predicate if it is another constant, and `R24, UP0` if it is a run-time value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A run-time predicate determines whether the accumulator is read.
    Sometimes(u8),
    /// `!UPT`: the sums start anew, and the accumulator is not read.
    Never(u8),
}

/// Returns whether a warpgroup MMA (`HGMMA`, `IGMMA`, `QGMMA`, `BGMMA`) reads its accumulator. `None` for an MMA that
/// always reads the accumulator, and for other instructions.
pub fn scale(chunk: &Chunk, instruction: &Instruction) -> Option<Scale> {
    if !chunk.mnemonic(instruction).ends_with("GMMA") {
        return None;
    }
    let is_predicate = |operand: &[syntax::sass::Token]| {
        operand.iter().any(|token| token.kind == TokenKind::UniformPredicate)
    };
    let (at, predicate) =
        chunk.operands(instruction).enumerate().find(|(_, operand)| is_predicate(operand))?;
    let sums = u8::try_from(at.checked_sub(1)?).ok()?;
    let is_constant =
        predicate.iter().any(|token| token.kind == TokenKind::UniformPredicate && token.is_zero_register());
    let is_negated = predicate.iter().any(|token| token.is_punct(b'!'));
    match (is_constant, is_negated) {
        (true, true) => Some(Scale::Never(sums)),
        (true, false) => None,
        _ => Some(Scale::Sometimes(sums)),
    }
}
