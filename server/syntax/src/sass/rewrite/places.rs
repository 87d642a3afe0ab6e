//! Positions of control codes: before the instruction, after its operands, in its words, or in its group's
//! control word.
//!
//! The traversal of lines matches the traversal in `assemble`, which reads the control codes.

use crate::sass::lex::word_value;
use crate::sass::{Chunk, Encoding, LineKind, Token, TokenKind};

/// A token of a chunk, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenOnLine {
    /// Index of the token's line in the chunk.
    pub line: usize,
    pub token: Token,
}

/// Elements of one instruction in the text, except its operands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InstructionParts {
    /// Index of the instruction's line in the chunk.
    pub line: usize,
    /// True if the instruction's word is alone on the next line. NVIDIA's tools print the second word of a Maxwell pair
    /// this way.
    pub detached: bool,
    /// The assembler's control code before the instruction.
    pub code: Option<Token>,
    /// The encoded words of the instruction.
    pub words: [Option<TokenOnLine>; 2],
    /// The group's control word, as an index into [`ChunkElements::groups`], and the instruction's slot in the
    /// control word.
    pub group: Option<(usize, u32)>,
}

impl InstructionParts {
    pub(super) fn is_on_line(&self, at: &TokenOnLine) -> bool {
        at.line == self.line
    }
}

/// Elements of all instructions of a chunk.
#[derive(Debug, Default)]
pub(super) struct ChunkElements {
    pub instructions: Vec<InstructionParts>,
    /// Control words of groups, with their values.
    pub groups: Vec<(TokenOnLine, u64)>,
    /// True if the instructions have NVIDIA's scheduling annotations.
    pub annotated: bool,
}

impl ChunkElements {
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
                        *slot = Some(TokenOnLine { line: index, token: *token });
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
                    let at = TokenOnLine { line: index, token };
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

/// The slot of an instruction in its group. `None` for the address of a control word, and for slots above the
/// encoding's group length.
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
