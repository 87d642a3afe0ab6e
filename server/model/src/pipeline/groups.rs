//! Groups of asynchronous operations: copies to shared memory, and matrix products of a warpgroup.

use machine::{Arch, Pipeline};
use syntax::sass::{Chunk, Instruction, TokenKind};

/// Role of an instruction that closes or awaits groups of its warp's asynchronous operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupRole {
    /// `LDGDEPBAR`: its scoreboard is released once all copies that the warp issued earlier are complete.
    ClosesCopies,
    /// `UTMACMDFLUSH`: its scoreboard is released once all TMA transfers that the warp issued earlier, and that no
    /// barrier object counts, are complete.
    ClosesTransfers,
    /// `DEPBAR.LE`: waits until at most `pending` operations of a scoreboard are pending.
    AwaitsBoard { board: u8, pending: u8 },
    /// `WARPGROUP.DEPBAR.LE`: waits until at most `pending` groups of products are pending.
    AwaitsProducts { pending: u8 },
}

impl GroupRole {
    /// Decodes the role of an instruction; `None` for an instruction without one.
    pub(super) fn decode(chunk: &Chunk, instruction: &Instruction) -> Option<Self> {
        let has = |modifier: &str| chunk.modifiers(instruction).any(|own| own == modifier);
        match chunk.mnemonic(instruction) {
            "LDGDEPBAR" => Some(Self::ClosesCopies),
            "UTMACMDFLUSH" => Some(Self::ClosesTransfers),
            "DEPBAR" if has("LE") => {
                let (name, pending) = awaited(chunk, instruction)?;
                let board = name.strip_prefix("SB")?.parse().ok().filter(|&board| board < 6)?;
                Some(Self::AwaitsBoard { board, pending })
            }
            "WARPGROUP" if has("DEPBAR") => {
                Some(Self::AwaitsProducts { pending: awaited(chunk, instruction)?.1 })
            }
            _ => None,
        }
    }
}

/// Returns the scoreboard that an instruction names, and the number of operations that may stay pending.
fn awaited<'a>(chunk: &'a Chunk, instruction: &Instruction) -> Option<(&'a str, u8)> {
    let mut operands = chunk.operands(instruction);
    let name = chunk.token_text(instruction.line, operands.next()?.first()?);
    let count = operands.next()?.iter().find(|token| token.kind == TokenKind::Integer)?;
    Some((name, u8::try_from(count.value).ok()?))
}

/// Scope of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FenceScope {
    Block,
    Gpu,
    /// A proxy fence: orders accesses of threads and of the TMA unit to shared memory.
    View,
}

impl FenceScope {
    /// Decodes the scope of a fence: the GPU, unless the instruction states a smaller scope.
    pub(super) fn decode(chunk: &Chunk, instruction: &Instruction) -> Self {
        let has = |modifier: &str| chunk.modifiers(instruction).any(|own| own == modifier);
        match chunk.mnemonic(instruction) {
            "FENCE" => Self::View,
            _ if has("CTA") => Self::Block,
            _ => Self::Gpu,
        }
    }
}

/// A warpgroup matrix product (`wgmma`), as each of the four warps issues it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WarpgroupProduct {
    /// Number of columns of the product: N of m64nNk.
    pub columns: u16,
    /// True if A is in registers; otherwise shared memory holds it.
    pub has_register_a: bool,
    /// Number of shared memory wavefronts in which one of the four warps reads its quarter of A and B.
    pub wavefronts: u64,
    /// True if the instruction closes a group of products.
    pub closes: bool,
}

impl WarpgroupProduct {
    /// Decodes a product; `None` if the text states no shape.
    pub(super) fn decode(
        chunk: &Chunk,
        instruction: &Instruction,
        arch: &Arch,
        figures: &Pipeline,
    ) -> Option<Self> {
        /// Number of warps in a warpgroup. `ROWS` is the number of rows of A.
        const WARPS: u64 = 4; // Source: PTX ISA, warpgroup
        const ROWS: u64 = 64; // Source: PTX ISA, asynchronous warpgroup-level matrix shape
        let shape = chunk.modifiers(instruction).find(|modifier| modifier.starts_with("64x"))?;
        let columns: u16 = shape.split('x').nth(1)?.parse().ok()?;
        let mut operands = chunk.operands(instruction);
        let a = operands.nth(1)?;
        let has_register_a = a.iter().any(|token| token.kind == TokenKind::Register);
        let closes = operands.any(|operand| operand.iter().any(|token| token.kind == TokenKind::Scoreboard));
        let row_bytes = u64::from(figures.product.row_bytes.value);
        let a = if has_register_a { 0 } else { ROWS * row_bytes };
        // A sparse A meets twice as many rows of B.
        let is_sparse = chunk.modifiers(instruction).any(|modifier| modifier == "SP");
        let b = u64::from(columns) * row_bytes * if is_sparse { 2 } else { 1 };
        let resources = &arch.resources;
        let bytes = u64::from(resources.shared_banks.value * resources.shared_bank_width.value).max(1);
        Some(Self { columns, has_register_a, wavefronts: (a + b).div_ceil(WARPS * bytes), closes })
    }
}
