//! Evidence from encodings that a disassembler printed a line: instructions with the same bits have the same
//! form.

use model::{Chunk, operand_kind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use syntax::sass::{Encoding, Instruction, TokenKind};

/// Evidence from the kernel's encodings about an instruction's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormEvidence {
    /// The line has no encoding.
    Bare,
    /// No other instruction has the same opcode and modifier bits.
    Alone,
    /// Several instructions have these bits, and all have the same form. A disassembler printed them.
    Agreed,
    /// Another instruction with these bits has another form. One of the two was edited, or the bits omit a
    /// field.
    Disputed,
}

/// The forms of a kernel's instructions by their encoding bits, computed on first use.
pub(super) struct PrintedForms<'a> {
    chunk: &'a Chunk,
    forms: OnceCell<FxHashMap<EncodingKey, (String, FormEvidence)>>,
}

/// Bits of an encoding, except registers, numbers and the control code.
type EncodingKey = (u64, u64);

/// Bits of the first word: the opcode and the kinds of its operands.
const OPCODE: u64 = 0xfff; // Source: the encodings from Volta on

/// Bits of the second word between the third register and the control code.
const MODIFIERS: u64 = (1 << 41) - (1 << 8); // Source: the encodings from Volta on

impl<'a> PrintedForms<'a> {
    pub(super) const fn new(chunk: &'a Chunk) -> Self {
        Self { chunk, forms: OnceCell::new() }
    }

    /// Evidence from the kernel's encodings about the text of an instruction.
    pub(super) fn print_of(&self, instruction: &Instruction) -> FormEvidence {
        let Some(bits) = bits(self.chunk, instruction) else { return FormEvidence::Bare };
        let forms = self.forms.get_or_init(|| forms(self.chunk));
        forms.get(&bits).map_or(FormEvidence::Alone, |(_, print)| *print)
    }
}

fn forms(chunk: &Chunk) -> FxHashMap<EncodingKey, (String, FormEvidence)> {
    let mut forms: FxHashMap<EncodingKey, (String, FormEvidence)> = FxHashMap::default();
    for instruction in chunk.instructions() {
        let Some(bits) = bits(chunk, instruction) else { continue };
        let form = form(chunk, instruction);
        match forms.get_mut(&bits) {
            Some((known, print)) if *known == form => {
                if *print == FormEvidence::Alone {
                    *print = FormEvidence::Agreed;
                }
            }
            Some((_, print)) => *print = FormEvidence::Disputed,
            None => {
                forms.insert(bits, (form, FormEvidence::Alone));
            }
        }
    }
    forms
}

/// Opcode and modifier bits of an instruction; `None` if the listing contains no complete 128-bit encoding.
fn bits(chunk: &Chunk, instruction: &Instruction) -> Option<EncodingKey> {
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
        // The reuse flag belongs to the control code.
        modifiers
            .map(|token| token.text(line))
            .filter(|text| *text != ".reuse")
            .for_each(|text| form.push_str(text));
    }
    form
}
