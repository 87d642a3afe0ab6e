//! Writes control codes and a new instruction order into a text, in the notation of the text.
//!
//! A control code is written wherever the text has one: before the instruction (maxas, KeplerAs, TuringAs,
//! `CuAssembler`), after its operands (NVIDIA's annotations), as `.reuse` in the operands, and in the encoded words.
//! Addresses, labels and comments on separate lines keep their positions. The result is parsed again and checked before
//! it is returned.

mod line;
mod places;
mod print;
mod rename;
mod reuse;
#[cfg(test)]
mod tests;
mod unchanged;

pub(super) use reuse::{marked, operand_slots};

pub use rename::{NewRegister, is_sure, rename};
pub use unchanged::keeps_instruction;

use super::build::Builder;
use super::lex::Block;
use super::{Chunk, Control, Dialect, Encoding, Instruction};
use line::{Columns, NewLine, Parts, word_text};
use places::{ChunkElements, InstructionParts};
use std::ops::Range;
use thiserror::Error;

/// Requested changes.
#[derive(Debug, Clone, Copy)]
pub struct RequestedChanges<'a> {
    /// All instructions in their new order, as indices in the old order. The indices must form a permutation.
    pub order: &'a [u32],
    /// The control code of each instruction in the new order; `None` keeps the old control code.
    pub codes: &'a [Option<Control>],
}

/// A byte range of a chunk, and its replacement text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    pub range: Range<u32>,
    pub text: String,
}

/// Reason why control codes cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unwritable {
    /// Neither the text nor its encodings contain control codes, as in output of nvdisasm without `-hex`.
    #[error("this listing contains no control codes")]
    NoControlCodes,
    /// The order is not a permutation of this chunk's instructions, or the number of control codes differs.
    #[error("the order is not a permutation of the kernel's instructions")]
    NotAnOrder,
    /// The text has no position for the control code of this instruction. The index refers to the old order.
    #[error("an instruction has no control code in the text")]
    NoCode(u32),
    /// The instruction would not read back as written, because its lines have an unsupported form. The index
    /// refers to the new order.
    #[error("an instruction's lines have a form that cannot be edited")]
    Form(u32),
    /// It is ambiguous which bits of this instruction's encoding name a register.
    #[error("it is ambiguous which bits of an encoding name a register")]
    Encoding(u32),
}

/// The replacements, in text order, that write control codes and an instruction order into a chunk. Empty if
/// the text already has them.
///
/// `slots` returns the operand slots of an opcode's sources if they are not a, b, c in text order (`ac` for
/// `FADD`). A reuse flag for a slot without a register is dropped. Branches keep their encodings. Because
/// branch targets are relative to the branch address, a branch must keep its position in the order.
pub fn rewrite<'s>(
    chunk: &Chunk,
    wanted: RequestedChanges<'_>,
    slots: impl Fn(&str) -> Option<&'s str>,
) -> Result<Vec<Replacement>, Unwritable> {
    let count = chunk.instructions().len();
    if !is_order(wanted.order, count) || wanted.codes.len() != count {
        return Err(Unwritable::NotAnOrder);
    }
    let mut writer = Writer::new(chunk, &slots);
    let codes = writer.codes(wanted)?;
    for position in 0..count {
        writer.write(wanted.order, &codes, position)?;
    }
    writer.finish(wanted.order, &codes)
}

fn is_order(order: &[u32], count: usize) -> bool {
    let mut seen = vec![false; count];
    order.len() == count
        && order
            .iter()
            .all(|&inst| seen.get_mut(inst as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

/// New contents at one position.
#[derive(Debug, Clone)]
struct NewContents {
    control: Option<Control>,
    /// The instruction, with its `.reuse` marks.
    body: String,
    words: [Option<u64>; 2],
    changes: bool,
}

struct Writer<'a, S> {
    chunk: &'a Chunk,
    slots: &'a S,
    encoding: Option<Encoding>,
    places: ChunkElements,
    parts: Vec<Parts<'a>>,
    columns: Option<Columns>,
    /// True if the listing prints dual-issue pairs in braces. `detaches` is true if the second instruction's
    /// word is on a separate line.
    braces: bool,
    detaches: bool,
    /// True for listings of NVIDIA's tools since Volta. They print no blank between an instruction that
    /// drains and its `;`. Source: 62,000 instructions of sm_70 to sm_120, without an exception.
    shows_drains: bool,
    replacements: Vec<Replacement>,
}

impl<'a, 's, S: Fn(&str) -> Option<&'s str>> Writer<'a, S> {
    fn new(chunk: &'a Chunk, slots: &'a S) -> Self {
        let encoding = chunk.encoding();
        let places = ChunkElements::find(chunk, encoding);
        let parts: Vec<_> =
            chunk.instructions().iter().filter_map(|instruction| Parts::read(chunk, instruction)).collect();
        let columns = places.annotated.then(|| columns(&parts));
        let is_listing = matches!(chunk.dialect(), Some(Dialect::Cuobjdump | Dialect::Nvdisasm));
        let shows_drains = is_listing && encoding == Some(Encoding::Volta) && !places.annotated;
        Self {
            braces: encoding == Some(Encoding::Maxwell) && has_braces(chunk),
            detaches: is_listing || places.instructions.iter().any(|place| place.detached),
            shows_drains,
            chunk,
            slots,
            encoding,
            places,
            parts,
            columns,
            replacements: Vec::new(),
        }
    }

    /// Returns the new contents of each position. Returns an error if the text has no position for a control
    /// code.
    fn codes(&self, wanted: RequestedChanges<'_>) -> Result<Vec<NewContents>, Unwritable> {
        let instructions = self.chunk.instructions();
        if instructions.iter().all(|instruction| instruction.control.is_none()) {
            return Err(Unwritable::NoControlCodes);
        }
        let mut codes = Vec::with_capacity(instructions.len());
        for (position, (&inst, code)) in wanted.order.iter().zip(wanted.codes).enumerate() {
            let old = &instructions[inst as usize];
            let moves = inst as usize != position;
            let parts = &self.parts[inst as usize];
            let Some(control) = code.or(old.control).map(|control| self.fitted(control, old)) else {
                if moves {
                    return Err(Unwritable::NoCode(inst));
                }
                codes.push(NewContents {
                    control: None,
                    body: parts.body_with(&[]),
                    words: old.words,
                    changes: false,
                });
                continue;
            };
            let changes = moves || Some(control) != old.control;
            let has_place = |place: &InstructionParts| {
                place.code.is_some()
                    || place.words[1].is_some()
                    || place.group.is_some()
                    || self.places.annotated
            };
            if changes && !has_place(&self.places.instructions[position]) {
                return Err(Unwritable::NoCode(inst));
            }
            codes.push(self.new_code(old, parts, control, changes));
        }
        Ok(codes)
    }

    fn new_code(
        &self,
        old: &Instruction,
        parts: &Parts<'_>,
        mut control: Control,
        changes: bool,
    ) -> NewContents {
        let mut body = parts.body_with(&[]);
        if old.control.is_none_or(|old| old.reuse_mask != control.reuse_mask) {
            let line = self.chunk.line_text(old.line as usize);
            let mnemonic = self.chunk.mnemonic(old);
            let slots =
                operand_slots(mnemonic, (self.slots)(mnemonic).unwrap_or("abcd"), self.chunk.operands(old));
            let operands = self.chunk.operands(old);
            let (edits, put) = reuse::edits(operands, &slots, line, control.reuse_mask, self.encoding);
            body = parts.body_with(&edits);
            control.reuse_mask = put;
        }
        let mut words = old.words;
        if self.encoding == Some(Encoding::Volta) {
            words[1] = words[1].map(|high| control.in_volta_word(high));
        }
        NewContents { control: Some(control), body, words, changes }
    }

    /// Converts a control code to the form that the encoding can express.
    fn fitted(&self, control: Control, old: &Instruction) -> Control {
        match self.encoding {
            Some(Encoding::Kepler) => {
                Control::from_kepler(super::KeplerFlags { code: control.kepler_code() })
            }
            Some(Encoding::Maxwell) => {
                let stall = if control.dual { Some(0) } else { control.stall };
                let dual = stall == Some(0) && self.chunk.mnemonic(old) != "NOP";
                Control { stall, dual, kepler: None, ..control }
            }
            _ => Control { dual: false, kepler: None, ..control },
        }
    }

    /// Writes the instruction at a position: its line, its words on other lines, and its slot in the group's
    /// control word.
    fn write(&mut self, order: &[u32], codes: &[NewContents], position: usize) -> Result<(), Unwritable> {
        let is_dual = |position: usize| codes[position].control.is_some_and(|control| control.dual);
        let closes = position > 0 && is_dual(position - 1);
        let was_dual = |inst: usize| self.chunk.instructions()[inst].control.is_some_and(|c| c.dual);
        let closed = position > 0 && was_dual(position - 1);
        let new = &codes[position];
        let Some(control) = new.control else { return Ok(()) };
        if !(new.changes || self.braces && closes != closed) {
            return Ok(());
        }
        let inst = order[position] as usize;
        let (place, own) = (self.places.instructions[position], self.places.instructions[inst]);
        if let Some((group, slot)) = place.group {
            let word = &mut self.places.groups[group].1;
            *word = match self.encoding {
                Some(Encoding::Kepler) => control.in_kepler_word(*word, slot),
                _ => control.in_maxwell_word(*word, slot),
            };
        }
        let line = self.chunk.lines()[place.line];
        let code = match place.code {
            Some(token) => {
                let old = token.text(self.chunk.line_text(place.line));
                let code = print::before(old, self.chunk.dialect(), &control);
                Some(code.ok_or(Unwritable::Form(position as u32))?)
            }
            None => None,
        };
        let ending = &self.chunk.text()[(line.start + line.len) as usize..][..line.ending.into()];
        let detaches = self.braces && closes && self.detaches && (own.detached || !closed || place.detached);
        let written = NewLine {
            code,
            body: new.body.clone(),
            annotations: self.columns.zip(print::following(&control)),
            pair: self.braces.then_some((control.dual, closes)),
            drains: self.shows_drains.then(|| control.stall == Some(0) && control.yields),
            words: new.words,
            detached: detaches.then_some(if ending.is_empty() { "\n" } else { ending }),
        };
        let text = self.parts[inst].write(&self.parts[position], &own, &written);
        // The word of a pair's second instruction is on the next line and moves with the instruction.
        let last = if place.detached { place.line + 1 } else { place.line };
        let end = self.chunk.lines()[last];
        self.replace(line.start..end.start + end.len, &text);
        for (slot, word) in place.words.into_iter().zip(new.words) {
            let Some(at) = slot.filter(|at| at.line > last) else { continue };
            let word = word.ok_or(Unwritable::Form(position as u32))?;
            self.replace_token(at, word);
        }
        Ok(())
    }

    fn replace_token(&mut self, at: places::TokenOnLine, word: u64) {
        let start = self.chunk.lines()[at.line].start;
        self.replace(start + u32::from(at.token.start)..start + at.token.end() as u32, &word_text(word));
    }

    /// Records the difference between a range of the text and its new text.
    fn replace(&mut self, range: Range<u32>, text: &str) {
        let old = &self.chunk.text()[range.start as usize..range.end as usize];
        if old == text {
            return;
        }
        let same = |(old, new): &(char, char)| old == new;
        let before: usize = old.chars().zip(text.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let (old, new) = (&old[before..], &text[before..]);
        let following: usize =
            old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let start = range.start + before as u32;
        self.replacements.push(Replacement {
            range: start..range.end - following as u32,
            text: new[..new.len() - following].to_owned(),
        });
    }

    /// The replacements in text order. The new text is parsed and checked first.
    fn finish(mut self, order: &[u32], codes: &[NewContents]) -> Result<Vec<Replacement>, Unwritable> {
        for (at, word) in std::mem::take(&mut self.places.groups) {
            self.replace_token(at, word);
        }
        self.replacements.sort_by_key(|replacement| replacement.range.start);
        if self.replacements.is_empty() {
            return Ok(self.replacements);
        }
        let after = reread(self.chunk, &apply(self.chunk.text(), &self.replacements));
        let after = after.ok_or(Unwritable::Form(0))?;
        if after.instructions().len() != order.len() {
            return Err(Unwritable::Form(0));
        }
        let wrong = (0..order.len()).find(|&position| !self.is_as_meant(&after, order, codes, position));
        match wrong {
            Some(position) => Err(Unwritable::Form(position as u32)),
            None => Ok(self.replacements),
        }
    }

    fn is_as_meant(&self, after: &Chunk, order: &[u32], codes: &[NewContents], position: usize) -> bool {
        let (old, new) = (self.chunk, &after.instructions()[position]);
        let source = &old.instructions()[order[position] as usize];
        let meant = &codes[position];
        // Without an encoding, the `.reuse` marks express only some of the flags. The comparison of the
        // instruction texts covers the marks.
        let has_flags = meant.words[1].is_some() || self.places.instructions[position].group.is_some();
        let seen = |control: Option<Control>| {
            control.map(|control| Control {
                reuse_mask: if has_flags { control.reuse_mask } else { 0 },
                ..control
            })
        };
        let body = Parts::read(after, new).map(|parts| parts.body_with(&[]));
        new.address == old.instructions()[position].address
            && new.words == meant.words
            && after.mnemonic(new) == old.mnemonic(source)
            && body.as_deref() == Some(&*meant.body)
            && seen(new.control) == seen(meant.control)
    }
}

/// Returns the text after the replacements. They must be in text order.
pub fn apply(text: &str, replacements: &[Replacement]) -> String {
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for replacement in replacements {
        after.push_str(&text[at..replacement.range.start as usize]);
        after.push_str(&replacement.text);
        at = replacement.range.end as usize;
    }
    after.push_str(&text[at..]);
    after
}

/// Reads a text in the context of this chunk; `None` if it is not exactly one chunk.
fn reread(chunk: &Chunk, text: &str) -> Option<Chunk> {
    let mut builder = Builder::new(text, Block::None);
    while builder.read_line() {}
    let mut parts = builder.finish().into_iter();
    match (parts.next(), parts.next()) {
        (Some(parts), None) => Some(Chunk::new(parts, chunk.context)),
        _ => None,
    }
}

/// True if dual-issue pairs are in braces. This is so in listings of NVIDIA's tools, except those of
/// cuobjdump since version 12, and in listings of `CuAssembler`.
fn has_braces(chunk: &Chunk) -> bool {
    let opens = |instruction: &Instruction| {
        let tokens = chunk.line_tokens(instruction.line as usize);
        tokens.iter().any(|token| token.kind == super::TokenKind::DualOpen)
    };
    let mut pairs =
        chunk.instructions().iter().filter(|instruction| instruction.control.is_some_and(|code| code.dual));
    match pairs.next() {
        Some(first) => opens(first) || pairs.any(opens),
        None => !matches!(chunk.dialect(), Some(Dialect::Maxas | Dialect::Cuobjdump) | None),
    }
}

/// The smallest columns in which NVIDIA's scheduling annotations start.
fn columns(parts: &[Parts<'_>]) -> Columns {
    let found: Vec<_> = parts.iter().map(Parts::columns).collect();
    let boards = found.iter().filter_map(|(boards, _)| *boards).min();
    let stall = found.iter().filter_map(|(_, stall)| *stall).min();
    let least = parts.iter().map(|parts| parts.body.end + 1).max().unwrap_or(0);
    Columns {
        boards: boards.or(stall).unwrap_or(least),
        stall: stall.or(boards.map(|boards| boards + "&req={0} ".len())).unwrap_or(least),
    }
}
