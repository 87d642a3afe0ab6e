//! Text of an instruction in another notation, with converted labels and without comments.

use super::Assembler;
use super::error::CopyError;
use crate::engine::kernel_view::KernelView;
use model::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, Token, TokenKind, TokenRange};

/// Names of branch targets.
pub(super) struct TargetNames<'a> {
    chunk: &'a Chunk,
    program: &'a Program,
    /// Labels that the text defines, as spelled in the text.
    own: FxHashSet<String>,
    /// Generated labels for instructions that are referenced by address and have no label, keyed by
    /// instruction.
    made: FxHashMap<usize, String>,
    /// The instruction that each instruction references: its branch target or reconvergence point.
    named: FxHashMap<usize, usize>,
    /// First label before an instruction, as spelled in the text.
    before: FxHashMap<usize, String>,
    assembler: Assembler,
}

impl<'a> TargetNames<'a> {
    pub(super) fn collect(kernel: &'a KernelView<'_>, assembler: Assembler) -> Self {
        let (chunk, program) = (&**kernel.chunk, kernel.program());
        let mut own = FxHashSet::default();
        let mut before = FxHashMap::default();
        let mut inst = 0;
        for (line, described) in chunk.lines().iter().enumerate() {
            match described.kind {
                LineKind::Instruction => inst += usize::from(chunk.instruction_on(line as u32).is_some()),
                LineKind::Label => {
                    let Some(name) = name_of(chunk, line) else { continue };
                    own.insert(name.to_owned());
                    before.entry(inst).or_insert_with(|| name.to_owned());
                }
                _ => {}
            }
        }
        let jumps = program.instructions.iter().enumerate();
        let jumps = jumps.filter_map(|(from, inst)| Some((from, inst.target? as usize)));
        let meetings = program.meetings.iter().map(|&(from, to)| (from as usize, to as usize));
        let named: FxHashMap<usize, usize> = jumps.chain(meetings).collect();
        let mut made = FxHashMap::default();
        for &to in named.values() {
            if !before.contains_key(&to) {
                made.insert(to, format!(".L_{:x}", program.instructions[to].address));
            }
        }
        Self { chunk, program, own, made, named, before, assembler }
    }

    /// Returns the converted label that a line defines; `None` for a section or function.
    pub(super) fn written(&self, line: usize) -> Option<String> {
        name_of(self.chunk, line).map(|name| self.spelled(name))
    }

    /// Returns the label generated for an instruction; `None` if the instruction needs no label.
    pub(super) fn made(&self, inst: usize) -> Option<String> {
        self.made.get(&inst).map(|name| self.spelled(name))
    }

    /// Converts a label. CuAssembler accepts any name. The other assemblers accept only letters, digits
    /// and underscores.
    fn spelled(&self, name: &str) -> String {
        if self.assembler == Assembler::CuAssembler {
            return name.to_owned();
        }
        let name = name.trim_start_matches('.');
        name.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_', "_")
    }

    /// Returns a label as spelled in an operand.
    fn mentioned(&self, name: &str) -> String {
        let name = self.spelled(name);
        if self.assembler == Assembler::CuAssembler { format!("`({name})") } else { name }
    }

    /// Returns the operand with which an instruction references its target; `None` if it has no target.
    fn mentioned_by(&self, inst: usize) -> Option<String> {
        let to = self.named.get(&inst)?;
        self.before.get(to).or_else(|| self.made.get(to)).map(|name| self.mentioned(name))
    }

    /// Returns the instruction's text from the mnemonic to the last operand.
    pub(super) fn body(&self, inst: usize) -> Result<String, CopyError> {
        let instruction = &self.chunk.instructions()[inst];
        let line = self.chunk.line_text(instruction.line as usize);
        let tokens = self.chunk.tokens(TokenRange {
            start: instruction.mnemonic,
            end: instruction.tokens.end.max(instruction.mnemonic + 1),
        });
        let address = self.address_of_target(tokens, inst);
        let mut text = String::new();
        let mut at = usize::from(tokens[0].start);
        for token in tokens {
            let Some((range, replaced)) = self.replacement(token, line, inst, address)? else { continue };
            text.push_str(line.get(at..range.start).unwrap_or_default());
            text.push_str(&replaced);
            at = range.end;
        }
        let end = tokens.last().map_or(at, Token::end);
        text.push_str(line.get(at..end).unwrap_or_default());
        if self.assembler == Assembler::CuAssembler && text.contains('<') {
            return Err(CopyError::ForeignSyntax);
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        // The disassembler prints a space between bank and offset in some instructions.
        Ok(words.join(" ").replace("] [", "]["))
    }

    /// Start of the number with which an instruction names its target's address; `None` if the
    /// instruction has no such number.
    fn address_of_target(&self, tokens: &[Token], inst: usize) -> Option<u16> {
        let to = *self.named.get(&inst)?;
        let address = self.program.instructions[to].address;
        let named = tokens.iter().rev().find(|token| token.kind == TokenKind::Integer)?;
        // Up to Pascal, the number may be the address of the control word directly before the target.
        let before = address.checked_sub(named.value)?;
        (before <= CONTROL_WORD_BYTES).then_some(named.start)
    }

    /// Returns the byte range of the line to replace for a token, and its replacement. `None` if the
    /// token is unchanged. `address` is the start of the number that names a branch target.
    fn replacement(
        &self,
        token: &Token,
        line: &str,
        inst: usize,
        address: Option<u16>,
    ) -> Result<Option<(Range<usize>, String)>, CopyError> {
        let range = usize::from(token.start)..token.end();
        let word = token.text(line);
        match token.kind {
            TokenKind::Comment | TokenKind::Targets => Ok(Some((range, String::new()))),
            TokenKind::Integer if address == Some(token.start) => {
                Ok(self.mentioned_by(inst).map(|name| (range, name)))
            }
            TokenKind::Label | TokenKind::Name if self.own.contains(word) => {
                Ok(Some((quoted(line, range), self.mentioned(word))))
            }
            TokenKind::Label if self.assembler != Assembler::CuAssembler => {
                Err(CopyError::UnknownLabel { label: word.to_owned() })
            }
            TokenKind::Name if self.assembler == Assembler::CuAssembler => {
                Err(CopyError::MappedName { name: word.to_owned() })
            }
            _ => Ok(None),
        }
    }
}

/// Bytes of a control word, which contains the control codes of the following instructions (Kepler to
/// Pascal).
const CONTROL_WORD_BYTES: u32 = 8; // Source: words of these architectures have 64 bits

/// Returns the label that a line defines; `None` for sections and for the kernel's own name.
fn name_of(chunk: &Chunk, line: usize) -> Option<&str> {
    let name = chunk.line_tokens(line).first()?.text(chunk.line_text(line));
    (!name.starts_with(".text.") && chunk.name() != Some(name)).then_some(name)
}

/// Extends the range of a label over its backtick and parentheses, if present.
fn quoted(line: &str, range: Range<usize>) -> Range<usize> {
    let has_quotes = line[..range.start].ends_with("`(") && line[range.end..].starts_with(')');
    if has_quotes { range.start - 2..range.end + 1 } else { range }
}
