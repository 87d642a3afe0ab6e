//! Evidence that a line of a listing is as its disassembler printed it: its encoding, compared with those of other lines.

use model::{Chunk, operand_kind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use syntax::sass::{Encoding, Instruction, TokenKind};

/// What the encodings of a kernel say of an instruction's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    /// The line has no encoding.
    Bare,
    /// No other instruction has the same bits for opcode and modifiers.
    Alone,
    /// All instructions with these bits are written in the same form, and there are several: a disassembler wrote them.
    Agreed,
    /// Another instruction with these bits is written in another form: one of them was edited, or a field is left out here.
    Disputed,
}

/// The forms of a kernel's instructions by the bits of their encodings; read when first asked for.
pub(super) struct Prints<'a> {
    chunk: &'a Chunk,
    forms: OnceCell<FxHashMap<Bits, (String, Print)>>,
}

/// Bits of an instruction word without registers, numbers and the control code.
type Bits = (u64, u64);

/// Of the first word: the opcode, with the kind of its operands.
const OPCODE: u64 = 0xfff; // Source: the encodings from Volta on

/// Of the second word: what lies between the third register and the control code.
const MODIFIERS: u64 = (1 << 41) - (1 << 8); // Source: the encodings from Volta on

impl<'a> Prints<'a> {
    pub(super) const fn new(chunk: &'a Chunk) -> Self {
        Self { chunk, forms: OnceCell::new() }
    }

    /// What the kernel's encodings say of the text of one of its instructions.
    pub(super) fn print_of(&self, instruction: &Instruction) -> Print {
        let Some(bits) = bits(self.chunk, instruction) else { return Print::Bare };
        let forms = self.forms.get_or_init(|| forms(self.chunk));
        forms.get(&bits).map_or(Print::Alone, |(_, print)| *print)
    }
}

fn forms(chunk: &Chunk) -> FxHashMap<Bits, (String, Print)> {
    let mut forms: FxHashMap<Bits, (String, Print)> = FxHashMap::default();
    for instruction in chunk.instructions() {
        let Some(bits) = bits(chunk, instruction) else { continue };
        let form = form(chunk, instruction);
        match forms.get_mut(&bits) {
            Some((known, print)) if *known == form => {
                if *print == Print::Alone {
                    *print = Print::Agreed;
                }
            }
            Some((_, print)) => *print = Print::Disputed,
            None => {
                forms.insert(bits, (form, Print::Alone));
            }
        }
    }
    forms
}

/// `None` without a whole encoding of 128 bits.
fn bits(chunk: &Chunk, instruction: &Instruction) -> Option<Bits> {
    let [low, high] = instruction.words;
    let bits = (low? & OPCODE, high? & MODIFIERS);
    (chunk.encoding() == Some(Encoding::Volta)).then_some(bits)
}

/// Opcode, modifiers and kinds of operands: `FADD.FTZ R R .reuse`.
fn form(chunk: &Chunk, instruction: &Instruction) -> String {
    let line = chunk.line_text(instruction.line as usize);
    let mut form = chunk.mnemonic(instruction).to_owned();
    for modifier in chunk.modifiers(instruction) {
        form.push('.');
        form.push_str(modifier);
    }
    for operand in chunk.operands(instruction) {
        form.push(' ');
        form.extend(operand_kind(operand, line, false).map(machine::OperandKind::letter));
        let modifiers = operand.iter().filter(|token| token.kind == TokenKind::Modifier);
        // Whether a register is kept for reuse is a part of the control code.
        modifiers
            .map(|token| token.text(line))
            .filter(|text| *text != ".reuse")
            .for_each(|text| form.push_str(text));
    }
    form
}
