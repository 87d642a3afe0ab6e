//! Positions of control codes: before the instruction, after its operands, in its words, in its group's control word.
//!
//! The traversal of lines matches that of `assemble`, which reads the codes.

use crate::sass::lex::word_value;
use crate::sass::{Chunk, Encoding, LineKind, Token, TokenKind};

/// A token of a chunk, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    /// Index of its line in the chunk.
    pub line: usize,
    pub token: Token,
}

/// Parts of one instruction in the text, other than its operands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InstructionParts {
    /// Index of its line in the chunk.
    pub line: usize,
    /// True if its word is alone on the next line, as the vendor prints the second one of a pair (Maxwell).
    pub detached: bool,
    /// The assembler's control code before it.
    pub code: Option<Token>,
    /// Its encoded words.
    pub words: [Option<At>; 2],
    /// The control word of its group, as an index into [`Places::groups`], and its slot there.
    pub group: Option<(usize, u32)>,
}

impl InstructionParts {
    pub(super) fn is_on_line(&self, at: &At) -> bool {
        at.line == self.line
    }
}

/// Parts of all instructions of a chunk.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub instructions: Vec<InstructionParts>,
    /// Control words of groups, with their values.
    pub groups: Vec<(At, u64)>,
    /// True if the instructions have the vendor's annotations.
    pub annotated: bool,
}

impl Places {
    pub(super) fn find(chunk: &Chunk, encoding: Option<Encoding>) -> Self {
        let mut places = Self::default();
        let (mut passed, mut is_unfinished) = (0, false);
        for (index, line) in chunk.lines().iter().enumerate() {
            let words =
                || chunk.line_tokens(index).iter().filter(|token| token.kind == TokenKind::Word).copied();
            match line.kind {
                LineKind::Instruction => {
                    let Some((mnemonic, end)) = line.body.tokens() else { continue };
                    is_unfinished = chunk.instruction_on(index as u32).is_none();
                    if is_unfinished {
                        continue;
                    }
                    let tokens = chunk.line_tokens(index);
                    let code = tokens[..mnemonic].iter().rev().find(|token| token.kind == TokenKind::Control);
                    let mut place =
                        InstructionParts { line: index, code: code.copied(), ..InstructionParts::default() };
                    let own = tokens[end..].iter().filter(|token| token.kind == TokenKind::Word);
                    for (slot, token) in place.words.iter_mut().zip(own) {
                        *slot = Some(At { line: index, token: *token });
                    }
                    places.annotated |= tokens[end..].iter().any(|token| token.kind == TokenKind::Schedule);
                    let address = chunk.instructions()[places.instructions.len()].address;
                    place.group = places.groups.len().checked_sub(1).and_then(|group| {
                        let slot = slot(encoding?, address, passed)?;
                        passed += 1;
                        Some((group, slot))
                    });
                    places.instructions.push(place);
                }
                LineKind::Word if is_unfinished => {}
                LineKind::Word => {
                    let Some(token) = words().next() else { continue };
                    let at = At { line: index, token };
                    match places.instructions.last_mut() {
                        Some(last) if last.words[0].is_none() => {
                            last.words[0] = Some(at);
                            last.detached = encoding == Some(Encoding::Maxwell)
                                && index == last.line + 1
                                && chunk.line_tokens(index).len() == 1;
                        }
                        Some(last) if encoding == Some(Encoding::Volta) && last.words[1].is_none() => {
                            last.words[1] = Some(at);
                        }
                        _ => {
                            let value = word_value(token.text(chunk.line_text(index))).unwrap_or(0);
                            places.groups.push((at, value));
                            passed = 0;
                        }
                    }
                }
                _ => {}
            }
        }
        places
    }
}

/// The slot of an instruction in its group. `None` for the address of a control word, and beyond the encoding's group
/// length.
fn slot(encoding: Encoding, address: Option<u32>, passed: u32) -> Option<u32> {
    let length = match encoding {
        Encoding::Kepler => 7,
        Encoding::Maxwell => 3,
        Encoding::Volta => return None,
    };
    let slot = match address {
        Some(address) => (address / 8 % (length + 1)).checked_sub(1)?,
        None => passed,
    };
    (slot < length).then_some(slot)
}
