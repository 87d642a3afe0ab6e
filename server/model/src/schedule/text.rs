//! The text of a kernel whose instructions may have been reordered.

use crate::address::operand::{AddressTerm, parts};
use crate::{Chunk, Program};
use syntax::sass::{Instruction, Token};

/// A chunk with its instructions in another order.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub chunk: &'a Chunk,
    /// The old index of each instruction, by new index.
    pub order: &'a [u32],
}

impl<'a> Text<'a> {
    fn instruction(&self, place: u32) -> &'a Instruction {
        &self.chunk.instructions()[self.order[place as usize] as usize]
    }

    pub(super) fn operands(&self, place: u32) -> impl Iterator<Item = &'a [Token]> + use<'a> {
        self.chunk.operands(self.instruction(place))
    }

    /// True if the mnemonic has this modifier, given without its dot.
    pub(super) fn has_modifier(&self, place: u32, name: &str) -> bool {
        self.chunk.modifiers(self.instruction(place)).any(|modifier| modifier == name)
    }

    /// Returns the terms of an instruction's address; `None` if there is no address, or if a term is not supported.
    pub(super) fn address(&self, place: u32) -> Option<Vec<AddressTerm>> {
        let instruction = self.instruction(place);
        let line = self.chunk.line_text(instruction.line as usize);
        parts(line, self.chunk.tokens(instruction.tokens))
    }

    /// Returns an instruction's tokens with their texts.
    pub(super) fn tokens(&self, place: u32) -> impl Iterator<Item = (&'a Token, &'a str)> + use<'a> {
        let instruction = self.instruction(place);
        let line = self.chunk.line_text(instruction.line as usize);
        self.chunk.tokens(instruction.tokens).iter().map(move |token| (token, token.text(line)))
    }
}

/// Returns the program with its instructions in another order within their blocks. Addresses keep their
/// positions.
pub(super) fn arranged(program: &Program, order: &[u32]) -> Program {
    let mut arranged = program.clone();
    for (place, &old) in order.iter().enumerate() {
        arranged.instructions[place] = crate::Inst {
            address: program.instructions[place].address,
            ..program.instructions[old as usize]
        };
    }
    arranged
}
