//! Renames registers in an instruction's operands and in its encoded words.
//!
//! The bits that name a register are derived from the instruction: an encoding has few register fields, and they hold
//! the register numbers of the operands. If the possible interpretations disagree, the renaming fails.

use super::line::word_text;
use super::places::{ChunkElements, TokenOnLine};
use super::{Replacement, Unwritable};
use crate::sass::{Chunk, Encoding, Instruction, Token, TokenKind};
use std::collections::BTreeMap;

/// A register token to rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRegister {
    /// Index of the instruction in the chunk.
    pub inst: u32,
    /// Token of a numbered register in the guard or in an operand.
    pub token: Token,
    /// The new register's number, in the same register file.
    pub index: u16,
}

/// True if the encodings name these registers unambiguously, or if the text has no encodings. `is_result` is
/// as in [`rename`].
pub fn is_sure(chunk: &Chunk, registers: &[NewRegister], is_result: impl Fn(u32, usize) -> bool) -> bool {
    let encoding = chunk.encoding();
    by_instruction(registers).into_iter().all(|(inst, own)| {
        EncodedInstruction::read(chunk, encoding, inst)
            .with(&own, |operand| is_result(inst, operand))
            .is_some()
    })
}

/// The replacements, in text order, that rename registers in the operands and in the encodings of the text.
///
/// `is_result` returns true if the instruction writes the register of the operand with this index. Returns
/// [`Unwritable::Encoding`] if it is ambiguous which bits of an encoding name a register.
pub fn rename(
    chunk: &Chunk,
    registers: &[NewRegister],
    is_result: impl Fn(u32, usize) -> bool,
) -> Result<Vec<Replacement>, Unwritable> {
    let encoding = chunk.encoding();
    let places = ChunkElements::find(chunk, encoding);
    let mut replacements = Vec::new();
    for (inst, own) in by_instruction(registers) {
        let place = places.instructions[inst as usize];
        for register in &own {
            let old = register.token.text(chunk.line_text(place.line));
            let file = old.trim_end_matches(|c: char| c.is_ascii_digit());
            let at = TokenOnLine { line: place.line, token: register.token };
            replacements.push(replacement(chunk, at, format!("{file}{}", register.index)));
        }
        let words = EncodedInstruction::read(chunk, encoding, inst);
        let unsure = Unwritable::Encoding(inst);
        let new = words.with(&own, |operand| is_result(inst, operand)).ok_or(unsure)?;
        for (half, at) in (0..).zip(place.words) {
            let (old, new) = ((words.bits >> (64 * half)) as u64, (new >> (64 * half)) as u64);
            if old != new {
                replacements.push(replacement(chunk, at.ok_or(unsure)?, word_text(new)));
            }
        }
    }
    replacements.sort_by_key(|replacement| replacement.range.start);
    Ok(replacements)
}

fn by_instruction(registers: &[NewRegister]) -> BTreeMap<u32, Vec<&NewRegister>> {
    let mut of_inst: BTreeMap<u32, Vec<&NewRegister>> = BTreeMap::new();
    for register in registers {
        of_inst.entry(register.inst).or_default().push(register);
    }
    of_inst
}

fn replacement(chunk: &Chunk, at: TokenOnLine, text: String) -> Replacement {
    let start = chunk.lines()[at.line].start;
    Replacement { range: start + u32::from(at.token.start)..start + at.token.end() as u32, text }
}

/// A bit field that can name a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    at: u32,
    width: u32,
}

impl Field {
    fn mask(self) -> u128 {
        (1 << self.width) - 1
    }

    fn get(self, word: u128) -> u128 {
        word >> self.at & self.mask()
    }

    fn set(self, word: u128, value: u128) -> u128 {
        word & !(self.mask() << self.at) | (value & self.mask()) << self.at
    }

    /// True if the field names a destination, in Volta's encoding.
    const fn is_of_results(self) -> bool {
        matches!(self.at, 16 | 81 | 84)
    }

    const fn overlaps(self, other: Self) -> bool {
        self.at < other.at + other.width && other.at < self.at + self.width
    }
}

/// An instruction and its encoded words.
struct EncodedInstruction<'a> {
    chunk: &'a Chunk,
    instruction: &'a Instruction,
    /// `None` if the text does not contain the instruction's encoding.
    encoding: Option<Encoding>,
    bits: u128,
}

impl<'a> EncodedInstruction<'a> {
    fn read(chunk: &'a Chunk, encoding: Option<Encoding>, inst: u32) -> Self {
        let instruction = &chunk.instructions()[inst as usize];
        let [low, high] = instruction.words.map(|word| u128::from(word.unwrap_or(0)));
        let encoding = encoding.filter(|_| instruction.words[0].is_some());
        Self { chunk, instruction, encoding, bits: high << 64 | low }
    }

    /// The encoding with these registers; `None` if several interpretations remain and yield different
    /// encodings.
    fn with(&self, registers: &[&NewRegister], is_result: impl Fn(usize) -> bool) -> Option<u128> {
        let Some(encoding) = self.encoding else { return Some(self.bits) };
        let mut bits = self.bits;
        let new = |token: &Token| registers.iter().copied().find(|register| register.token == *token);
        if let Some(register) = self.chunk.guard(self.instruction).last().and_then(new) {
            let field = guard_field(encoding);
            if field.get(bits) != u128::from(register.token.value) {
                return None;
            }
            bits = field.set(bits, u128::from(register.index));
        }
        let named = self.named(encoding, is_result, new)?;
        if named.iter().all(|named| named.new.is_none()) {
            return Some(bits);
        }
        let mut readings = Vec::new();
        read(bits, &named, &mut Vec::new(), &mut readings);
        // In stores of Kepler and Maxwell, the first field names the data operand, which is the last operand
        // in the text.
        let opens = |token: &Token| token.is_punct(b'[');
        let has_address = self.chunk.operands(self.instruction).flatten().any(opens);
        let in_order = |reading: &Vec<Field>| is_in_order(&named, reading);
        if (encoding == Encoding::Volta || !has_address) && readings.iter().any(in_order) {
            readings.retain(in_order);
        }
        let mut all = readings.iter().map(|reading| {
            named.iter().zip(reading).fold(bits, |bits, (named, field)| match named.new {
                Some(new) => field.set(bits, u128::from(new)),
                None => bits,
            })
        });
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// The registers of the operands, in text order. `None` if a renamed register has no known field.
    fn named<'n>(
        &self,
        encoding: Encoding,
        is_result: impl Fn(usize) -> bool,
        new: impl Fn(&Token) -> Option<&'n NewRegister>,
    ) -> Option<Vec<NamedRegister>> {
        let mut named = Vec::new();
        for (operand, tokens) in self.chunk.operands(self.instruction).enumerate() {
            let is_result = is_result(operand);
            for token in tokens {
                let mut fields = fields(self.chunk, self.instruction, encoding, token.kind);
                if encoding == Encoding::Volta && !token.is_zero_register() {
                    fields.retain(|field| field.is_of_results() == is_result);
                }
                let new = new(token).map(|register| register.index);
                if !fields.is_empty() {
                    named.push(NamedRegister { value: token.value, kind: token.kind, new, fields });
                } else if new.is_some() {
                    return None;
                }
            }
        }
        Some(named)
    }
}

/// True if the fields of each register file are in the order of the registers in the text.
fn is_in_order(named: &[NamedRegister], reading: &[Field]) -> bool {
    let is_predicate = |kind| matches!(kind, TokenKind::Predicate | TokenKind::UniformPredicate);
    let places = |of: &dyn Fn(TokenKind) -> bool| {
        let own = named.iter().zip(reading).filter(|(named, _)| of(named.kind));
        own.map(|(named, field)| named.fields.iter().position(|other| other == field)).is_sorted()
    };
    places(&|kind| kind == TokenKind::Register)
        && places(&|kind| kind == TokenKind::UniformRegister)
        && places(&is_predicate)
}

/// A register of an operand, and the fields in which an encoding may store it.
#[derive(Debug)]
struct NamedRegister {
    value: u32,
    kind: TokenKind,
    new: Option<u16>,
    fields: Vec<Field>,
}

/// Collects every assignment of distinct fields to these registers in which each field holds its register's
/// number.
fn read(word: u128, named: &[NamedRegister], taken: &mut Vec<Field>, readings: &mut Vec<Vec<Field>>) {
    let Some(next) = named.get(taken.len()) else {
        readings.push(taken.clone());
        return;
    };
    for &field in &next.fields {
        let is_free = taken.iter().all(|taken| !taken.overlaps(field));
        if is_free && field.get(word) == u128::from(next.value) & field.mask() {
            taken.push(field);
            read(word, named, taken, readings);
            taken.pop();
        }
    }
}

/// Returns the field that holds the guard's predicate register. Source: the encodings of compiler output, as for
/// [`fields`]; maxas.
const fn guard_field(encoding: Encoding) -> Field {
    let at = match encoding {
        Encoding::Kepler => 18,
        Encoding::Maxwell => 16,
        Encoding::Volta => 12,
    };
    Field { at, width: 3 }
}

/// The fields that may name a register of a kind, in operand order. Empty if the fields are not known.
///
/// Source: 60,000 instructions of compiler output for sm_35 to sm_120. No other bits consistently hold an
/// operand's register number.
fn fields(chunk: &Chunk, instruction: &Instruction, encoding: Encoding, kind: TokenKind) -> Vec<Field> {
    let (width, at): (u32, &[u32]) = match (kind, encoding) {
        (TokenKind::Register, Encoding::Volta) => (8, &[16, 24, 32, 64]),
        (TokenKind::Register, Encoding::Maxwell) => (8, &[0, 8, 20, 39]),
        (TokenKind::Register, Encoding::Kepler) => (8, &[2, 10, 23, 42]),
        (TokenKind::UniformRegister, Encoding::Volta) => {
            (if chunk.sm().is_some_and(|sm| sm.number >= 100) { 8 } else { 6 }, &[16, 24, 32, 64])
        }
        (TokenKind::Predicate | TokenKind::UniformPredicate, Encoding::Volta) => {
            let mnemonic = chunk.mnemonic(instruction);
            let at: &[u32] = if mnemonic.ends_with("PLOP3") {
                &[81, 84, 87, 77, 68]
            } else if mnemonic.ends_with("SETP") {
                &[81, 84, 87, 68]
            } else if mnemonic.ends_with("IADD3") {
                &[81, 84, 87, 77]
            } else {
                &[81, 84, 87]
            };
            (3, at)
        }
        _ => (0, &[]),
    };
    at.iter().map(|&at| Field { at, width }).collect()
}
