//! Use of the accumulator by a warpgroup MMA (`HGMMA`, ...). The MMA adds to the accumulator or overwrites
//! it.

use syntax::sass::{Chunk, Instruction, TokenKind};

/// The use that a warpgroup product makes of its accumulator, and the index of the operand that names the accumulator.
///
/// Source: SASS that ptxas 13.5 generates for `sm_90a` from `wgmma.mma_async` with a scale-d of 0 (`RZ, !UPT`), not 0
/// (no predicate) and a run-time value (`R24, UP0`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A run-time predicate determines whether the accumulator is read.
    Sometimes(u8),
    /// `!UPT`: the sums start anew, and the accumulator is not read.
    Never(u8),
}

/// Returns how a warpgroup product (`HGMMA`, `IGMMA`, `QGMMA`, `BGMMA`) reads its accumulator. `None` for a
/// product that always reads the accumulator, and for other instructions.
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
