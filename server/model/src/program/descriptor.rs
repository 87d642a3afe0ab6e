//! The memory descriptor of Ampere and Ada. Accesses read the descriptor although no listing prints it.

use super::instruction::{Register, RegisterFile};
use machine::MemorySpace;
use syntax::sass::{Chunk, Instruction, Token, TokenKind};

/// Offset in constant bank 0 at which the driver puts the descriptor, on `sm_80` to `sm_89`.
/// Source: `ULDC.64 UR4, c[0x0][0x118]` at the head of kernels, whose registers `nvdisasm -plr` shows in use at each
/// global access.
const OFFSET: u32 = 0x118;

/// Tracks which uniform registers hold the descriptor.
#[derive(Debug, Default)]
pub(super) struct Descriptor {
    hidden: bool,
    register: Option<u32>,
}

impl Descriptor {
    pub(super) fn new(sm: u16) -> Self {
        Self { hidden: (80..90).contains(&sm), register: None }
    }

    /// Returns the two uniform registers of the descriptor, which a memory access reads without naming them; `None`
    /// for other instructions. Remembers the registers of an instruction that loads the descriptor.
    pub(super) fn registers(
        &mut self,
        chunk: &Chunk,
        instruction: &Instruction,
        space: Option<MemorySpace>,
    ) -> Option<[Register; 2]> {
        if !self.hidden {
            return None;
        }
        if chunk.mnemonic(instruction) == "ULDC" {
            let mut operands = chunk.operands(instruction);
            let to = operands.next()?.first().filter(|token| token.kind == TokenKind::UniformRegister)?;
            if operands.next()?.iter().any(|token| token.kind == TokenKind::Integer && token.value == OFFSET)
            {
                self.register = Some(to.value);
            }
            return None;
        }
        let register = u16::try_from(self.register?).ok()?;
        let is_global = matches!(space, Some(MemorySpace::Global | MemorySpace::Generic));
        let line = chunk.line_text(instruction.line as usize);
        let is_wide = |token: &Token| token.kind == TokenKind::Modifier && token.text(line) == ".64";
        let has_wide_address = chunk
            .operands(instruction)
            .any(|operand| operand.iter().any(|token| token.is_punct(b'[')) && operand.iter().any(is_wide));
        let uniform = |index| Register { file: RegisterFile::Uniform, index };
        (is_global && has_wide_address).then(|| [uniform(register), uniform(register.saturating_add(1))])
    }
}
