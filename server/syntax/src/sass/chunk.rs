//! A chunk of a listing: one kernel with its header lines, or the lines before the first kernel.
//!
//! All offsets and line numbers in a chunk count from its start, so an edit of another chunk does not change
//! them.

use super::assemble::{assemble, encoding};
use super::line::{Instruction, Line, SyntaxError, TokenRange, operands};
use super::pieces::Pieces;
use super::{Control, Dialect, Encoding, SmVersion, Token, TokenKind};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The text of one kernel, of a data section or of a prologue, with its lines, tokens and instructions.
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

/// Properties of the surrounding text that affect the interpretation of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Context {
    pub dialect: Option<Dialect>,
    /// The architecture named above the chunk; `None` if no line names it.
    pub sm: Option<SmVersion>,
}

/// A chunk's text after lexing, before its lines are assembled into instructions.
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

    /// Replaces the control codes of the instructions, in text order.
    #[must_use]
    pub fn with_controls(mut self, controls: impl IntoIterator<Item = Control>) -> Self {
        for (instruction, control) in self.instructions.iter_mut().zip(controls) {
            instruction.control = Some(control);
        }
        self
    }

    /// This chunk read again in another context.
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

    /// Returns the chunk's text, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lines in text order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The text of a line, without its line end.
    pub fn line_text(&self, line: usize) -> &str {
        let line = &self.lines[line];
        &self.text[line.start as usize..(line.start + line.len) as usize]
    }

    /// Tokens of a line, in text order.
    pub fn line_tokens(&self, line: usize) -> &[Token] {
        let line = &self.lines[line];
        &self.tokens[line.first_token as usize..][..line.token_count as usize]
    }

    /// Index of the line that contains this byte of the chunk, or of the last line at the chunk's end. `None`
    /// only in an empty chunk.
    pub fn line_at(&self, byte: u32) -> Option<usize> {
        self.lines.partition_point(|line| line.start <= byte).checked_sub(1)
    }

    /// Instructions in text order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Index of the instruction on a line; `None` if the line has no instruction.
    pub fn instruction_on(&self, line: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&line, |instruction| instruction.line).ok()
    }

    /// Returns the tokens in a range of token indices.
    pub fn tokens(&self, range: TokenRange) -> &[Token] {
        &self.tokens[range.start as usize..range.end as usize]
    }

    /// The text of a token on a line.
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

    /// True if inline code of maxas (`[+ ... +]`) generates tokens of an instruction. The instruction's reads
    /// and writes are then unknown.
    pub fn has_inline_code(&self, instruction: &Instruction) -> bool {
        let line = self.line_text(instruction.line as usize);
        let is_open = |token: &&Token| matches!(token.kind, TokenKind::Modifier | TokenKind::Opaque);
        let mut tokens = self.tokens(instruction.tokens).iter().filter(is_open);
        self.dialect().is_none_or(Dialect::is_source)
            && tokens.any(|token| token.text(line).contains("[+") || token.text(line).contains("[-"))
    }

    /// Tokens of the guard predicate (`@`, `!`, `P0`); empty for an unguarded instruction.
    pub fn guard(&self, instruction: &Instruction) -> &[Token] {
        &self.tokens[instruction.tokens.start as usize..instruction.mnemonic as usize]
    }

    /// The operands, in text order: token sequences separated by commas outside of brackets.
    pub fn operands<'a>(&'a self, instruction: &Instruction) -> impl Iterator<Item = &'a [Token]> + use<'a> {
        operands(&self.tokens[instruction.mnemonic as usize..instruction.tokens.end as usize])
    }

    /// The encoding of the chunk's instruction words. The architecture determines it. If no architecture is named, the
    /// encoding is inferred from the lines.
    pub fn encoding(&self) -> Option<Encoding> {
        encoding(self.pieces(), self.context.dialect, self.sm)
    }

    /// Name of the kernel as in the listing; `None` for a prologue or a data section.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(|range| &self.text[range.start as usize..range.end as usize])
    }

    /// Returns the range of the name in the chunk, in bytes.
    pub fn name_range(&self) -> Option<Range<u32>> {
        self.name.clone()
    }

    /// The architecture named in this chunk or above it.
    pub fn sm(&self) -> Option<SmVersion> {
        self.sm
    }

    /// The dialect of the listing that contains the chunk.
    pub fn dialect(&self) -> Option<Dialect> {
        self.context.dialect
    }

    /// Hash of all inputs that affect the interpretation of the chunk: its text, the dialect, and the
    /// architecture named above it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Ranges that could not be read, each with a phrase that states the expected text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }
}
