//! A piece of a listing that stands for itself: one kernel with its header lines, or what comes before the first.
//!
//! All offsets and line numbers in it count from its own start, so that an edit elsewhere changes nothing here.

use super::assemble::{Pieces, assemble, encoding};
use super::lex::{Block, Body};
use super::{Control, Dialect, Encoding, SmVersion, Token, TokenKind};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// One kernel's text (or a data section, or a prologue) with its lines, tokens and instructions.
#[derive(Debug)]
pub struct Chunk {
    pub(super) text: Box<str>,
    pub(super) lines: Box<[Line]>,
    pub(super) tokens: Box<[Token]>,
    pub(super) errors: Box<[SyntaxError]>,
    instructions: Box<[Instruction]>,
    name: Option<Range<u32>>,
    sm: Option<SmVersion>,
    pub(super) context: Context,
    hash: u64,
}

/// Facts of the text around a chunk that its meaning depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Context {
    pub dialect: Option<Dialect>,
    /// The architecture named above it.
    pub sm: Option<SmVersion>,
}

/// A chunk's text as read line by line, before its lines were put together.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub text: Box<str>,
    pub lines: Box<[Line]>,
    pub tokens: Box<[Token]>,
    pub errors: Box<[SyntaxError]>,
}

impl Parts {
    pub(super) fn pieces(&self) -> Pieces<'_> {
        Pieces { text: &self.text, lines: &self.lines, tokens: &self.tokens }
    }
}

/// One line of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Byte offset in the chunk.
    pub start: u32,
    /// Bytes without the line ending.
    pub len: u32,
    /// Bytes of the line ending: 0 (end of text), 1 or 2.
    pub ending: u8,
    pub kind: LineKind,
    pub(super) first_token: u32,
    pub(super) token_count: u16,
    /// The block that the next line stands in.
    pub(super) block: Block,
    /// One of the chunk's errors is on it.
    pub(super) broken: bool,
    pub(super) body: Body,
}

impl Line {
    /// True where the next line holds no instructions: it stands among an assembler's mappings or in another language.
    pub fn leads_into_block(&self) -> bool {
        self.block != Block::None
    }

    /// True where inline code of maxas goes on in the next line.
    pub fn leads_into_inline_code(&self) -> bool {
        matches!(self.block, Block::Inline(_))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    Blank,
    /// An instruction, with or without its encoding.
    Instruction,
    /// An encoding or control word alone.
    Word,
    /// `.L_x_0:`, `sgemm:`.
    Label,
    /// `.section …`, `.align 128`, `<SCHEDULE_BLOCK>`.
    Directive,
    /// `Function : name`, `code for sm_90`, `//----- .text.name -----`, `.headerflags …`: says what follows.
    Header,
    /// Bytes of a data section.
    Data,
    /// A register, constant or parameter mapping of an assembler.
    Mapping,
    Comment,
    /// A line inside a block of another language.
    Opaque,
    /// A line that could not be read; the chunk's errors say why.
    Error,
}

/// One instruction, with what other lines say of it: its encoding, its control code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Index of its line in the chunk.
    pub line: u32,
    /// Address as printed; `None` in sources that print none.
    pub address: Option<u32>,
    /// Its tokens in the chunk: from the guard's `@`, or else the mnemonic, to the last before `;`.
    pub tokens: TokenRange,
    /// Index of its mnemonic among the chunk's tokens.
    pub mnemonic: u32,
    /// Low word first; the second only where instructions have 128 bits.
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
    /// Bytes in the line.
    pub range: Range<u16>,
    /// Phrase that says what was expected.
    pub message: &'static str,
}

impl Chunk {
    pub(super) fn new(parts: Parts, context: Context) -> Self {
        let assembled = assemble(parts.pieces(), context.dialect, context.sm);
        let sm = assembled.sm.or(context.sm);
        let seed = context.dialect.map_or(0, |dialect| 1 + dialect as u64)
            | sm.map_or(0, |sm| u64::from(sm.number) << 16 | u64::from(sm.suffix) << 8);
        Self {
            hash: xxh3_64_with_seed(parts.text.as_bytes(), seed),
            text: parts.text,
            lines: parts.lines,
            tokens: parts.tokens,
            errors: parts.errors,
            instructions: assembled.instructions.into_boxed_slice(),
            name: assembled.name,
            sm,
            context,
        }
    }

    /// The same text, read where something else stands above it.
    pub(super) fn in_context(&self, context: Context) -> Self {
        let parts = Parts {
            text: self.text.clone(),
            lines: self.lines.clone(),
            tokens: self.tokens.clone(),
            errors: self.errors.clone(),
        };
        Self::new(parts, context)
    }

    pub(super) fn pieces(&self) -> Pieces<'_> {
        Pieces { text: &self.text, lines: &self.lines, tokens: &self.tokens }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The text of a line, without its ending.
    pub fn line_text(&self, line: usize) -> &str {
        let line = &self.lines[line];
        &self.text[line.start as usize..(line.start + line.len) as usize]
    }

    pub fn line_tokens(&self, line: usize) -> &[Token] {
        let line = &self.lines[line];
        &self.tokens[line.first_token as usize..][..line.token_count as usize]
    }

    /// The line that holds this byte of the chunk; the last for its end. `None` only in an empty chunk.
    pub fn line_at(&self, byte: u32) -> Option<usize> {
        self.lines.partition_point(|line| line.start <= byte).checked_sub(1)
    }

    /// In text order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instruction on that line.
    pub fn instruction_on(&self, line: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&line, |instruction| instruction.line).ok()
    }

    pub fn tokens(&self, range: TokenRange) -> &[Token] {
        &self.tokens[range.start as usize..range.end as usize]
    }

    /// The text of a token of that line.
    pub fn token_text(&self, line: u32, token: &Token) -> &str {
        token.text(self.line_text(line as usize))
    }

    /// The mnemonic of an instruction, without modifiers: `ISETP`.
    pub fn mnemonic(&self, instruction: &Instruction) -> &str {
        self.token_text(instruction.line, &self.tokens[instruction.mnemonic as usize])
    }

    /// The mnemonic's token.
    pub fn mnemonic_token(&self, instruction: &Instruction) -> &Token {
        &self.tokens[instruction.mnemonic as usize]
    }

    /// The modifiers of an instruction's mnemonic, without dots: `GE`, `AND`.
    pub fn modifiers<'a>(
        &'a self,
        instruction: &Instruction,
    ) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let line = self.line_text(instruction.line as usize);
        self.tokens[instruction.mnemonic as usize + 1..instruction.tokens.end as usize]
            .iter()
            .take_while(|token| token.kind == TokenKind::Modifier)
            .map(move |token| &token.text(line)[1..])
    }

    /// Whether inline code of maxas (`[+ … +]`) writes a part of an instruction, so that nobody knows what it reads and writes.
    pub fn has_inline_code(&self, instruction: &Instruction) -> bool {
        let line = self.line_text(instruction.line as usize);
        let is_open = |token: &&Token| matches!(token.kind, TokenKind::Modifier | TokenKind::Opaque);
        let mut tokens = self.tokens(instruction.tokens).iter().filter(is_open);
        self.dialect().is_none_or(Dialect::is_source)
            && tokens.any(|token| token.text(line).contains("[+") || token.text(line).contains("[-"))
    }

    /// The guard predicate's tokens (`@`, `!`, `P0`); empty for an unguarded instruction.
    pub fn guard(&self, instruction: &Instruction) -> &[Token] {
        &self.tokens[instruction.tokens.start as usize..instruction.mnemonic as usize]
    }

    /// The operands, in text order: the tokens between commas that stand outside brackets.
    pub fn operands<'a>(&'a self, instruction: &Instruction) -> impl Iterator<Item = &'a [Token]> + use<'a> {
        operands(&self.tokens[instruction.mnemonic as usize..instruction.tokens.end as usize])
    }

    /// The form of its instruction words, from the architecture or, failing that, from the lines.
    pub fn encoding(&self) -> Option<Encoding> {
        encoding(self.pieces(), self.context.dialect, self.sm)
    }

    /// The kernel's name as the listing has it; `None` for a prologue or a data section.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(|range| &self.text[range.start as usize..range.end as usize])
    }

    /// Returns the range of the name in the chunk, in bytes.
    pub fn name_range(&self) -> Option<Range<u32>> {
        self.name.clone()
    }

    /// The architecture that the text names for this chunk, in it or above it.
    pub fn sm(&self) -> Option<SmVersion> {
        self.sm
    }

    /// The notation of the text that the chunk is part of.
    pub fn dialect(&self) -> Option<Dialect> {
        self.context.dialect
    }

    /// A hash of all that the chunk's meaning depends on: its text, the dialect and the architecture named above it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }
}

/// The operands among an instruction's tokens from its mnemonic on.
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
