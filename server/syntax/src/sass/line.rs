//! Lines and instructions, derived from their tokens.

use super::lex::{Block, Body};
use super::{Control, Token, TokenKind};
use std::ops::Range;

/// One line of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Byte offset in the chunk.
    pub start: u32,
    /// Length in bytes, without the line end.
    pub len: u32,
    /// Length of the line end in bytes: 0 (end of text), 1 or 2.
    pub ending: u8,
    pub kind: LineKind,
    pub(super) first_token: u32,
    pub(super) token_count: u16,
    /// The block of the next line.
    pub(super) block: Block,
    /// True if one of the chunk's errors is on this line.
    pub(super) broken: bool,
    pub(super) body: Body,
}

impl Line {
    /// True if the next line holds no instruction, because it is in an assembler's mapping block or in
    /// another language.
    pub fn leads_into_block(&self) -> bool {
        self.block != Block::None
    }

    /// True if inline code of maxas continues on the next line.
    pub fn leads_into_inline_code(&self) -> bool {
        matches!(self.block, Block::Inline(_))
    }
}

/// Kind of a line, determined from its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    Blank,
    /// An instruction, with or without its encoding.
    Instruction,
    /// An encoding or a control word without an instruction.
    Word,
    /// `.L_x_0:`, `sgemm:`.
    Label,
    /// `.section …`, `.align 128`, `<SCHEDULE_BLOCK>`.
    Directive,
    /// `Function : name`, `code for sm_90`, `//----- .text.name -----`, `.headerflags …`: introduces the following
    /// lines.
    Header,
    /// Bytes of a data section.
    Data,
    /// A register, constant or parameter mapping of an assembler.
    Mapping,
    Comment,
    /// A line of a block in another language.
    Opaque,
    /// A line that could not be read. The chunk's errors state the reason.
    Error,
}

/// An instruction. Its encoding and its control code may come from other lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Index of the instruction's line in the chunk.
    pub line: u32,
    /// Address as printed; `None` in sources without addresses.
    pub address: Option<u32>,
    /// Range of the instruction's tokens in the chunk. It starts at the guard's `@` or, without a guard, at
    /// the mnemonic, and ends before the `;`.
    pub tokens: TokenRange,
    /// Index of the mnemonic among the chunk's tokens.
    pub mnemonic: u32,
    /// Encoded words, low word first. The second word is present only for 128-bit instructions.
    pub words: [Option<u64>; 2],
    pub control: Option<Control>,
}

/// A range of a chunk's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRange {
    pub start: u32,
    pub end: u32,
}

/// Error on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Index of the line in the chunk.
    pub line: u32,
    /// Byte range in the line.
    pub range: Range<u16>,
    /// Phrase that states the expected text.
    pub message: &'static str,
}

/// The operands of an instruction. The tokens start at its mnemonic.
pub(super) fn operands(instruction: &[Token]) -> impl Iterator<Item = &[Token]> {
    let body = instruction.get(1..).unwrap_or_default();
    let modifiers = body.iter().take_while(|token| token.kind == TokenKind::Modifier).count();
    Operands { rest: &body[modifiers..] }
}

struct Operands<'a> {
    rest: &'a [Token],
}

impl<'a> Iterator for Operands<'a> {
    type Item = &'a [Token];

    fn next(&mut self) -> Option<&'a [Token]> {
        if self.rest.is_empty() {
            return None;
        }
        let mut depth = 0_u32;
        let comma = self.rest.iter().position(|token| {
            if token.kind == TokenKind::Punct {
                match token.value as u8 {
                    b'[' | b'(' | b'{' => depth += 1,
                    b']' | b')' | b'}' => depth = depth.saturating_sub(1),
                    b',' => return depth == 0,
                    _ => {}
                }
            }
            false
        });
        let (operand, rest) = match comma {
            Some(comma) => (&self.rest[..comma], &self.rest[comma + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(operand)
    }
}
