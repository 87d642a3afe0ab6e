//! Elements of SASS instructions that cannot be encoded: modifiers, operands, registers, numbers and labels.
//!
//! Each check reads the instructions that the parser could read, and skips instructions with inline code. The
//! modifiers and operands of each opcode are in `machine/data/isa/spellings.csv`.

mod addresses;
mod labels;
mod modifiers;
mod numbers;
mod observed;
mod operands;
mod printed;
mod registers;
mod signs;
mod special_registers;

pub(crate) use addresses::check_addresses;
pub(crate) use labels::{check_label_operands, check_labels};
pub(crate) use modifiers::{check_modifiers, check_repeated_modifiers};
pub(crate) use numbers::check_numbers;
pub use observed::{ObservedSpelling, listing_of, observe};
pub(crate) use operands::{check_carries, check_operand_counts, check_operand_kinds};
pub(crate) use registers::{
    MISPLACED_REUSE, UNALIGNED_REGISTER, check_alignment, check_register_range, check_reuse,
};
pub(crate) use signs::check_signs;
pub(crate) use special_registers::check_special_registers;

use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::{Finding, Severity, Site};
use machine::{OperandKind, Spelling};
use model::{Chunk, Dialect, Inst, operand_kind};
use printed::{FormEvidence, PrintedForms};
use std::ops::Range;
use syntax::sass::{Instruction, Token};

/// An instruction that has a known opcode and is complete in the text.
struct SpelledInstruction<'a> {
    at: u32,
    codes: &'a Codes<'a>,
    chunk: &'a Chunk,
    instruction: &'a Instruction,
    inst: &'a Inst,
    line: &'a str,
}

/// An instruction form that does not occur in any known listing of the architecture.
struct UnseenForm<'a> {
    code: Code,
    /// The tokens that are not in the tables.
    tokens: &'a [Token],
    /// Description of the tokens in messages: ``"`.FTZ` on `IADD3`"``.
    what: String,
    /// True if listings of similar architectures contain the form.
    is_near: bool,
}

/// The instructions of a kernel that have a known opcode and are complete in the text.
fn spelled<'a>(codes: &'a Codes<'a>) -> impl Iterator<Item = SpelledInstruction<'a>> {
    let chunk = codes.chunk;
    let is_known = |at: u32, instruction: &Instruction| {
        codes.inst(at).opcode.is_some() && !chunk.has_inline_code(instruction)
    };
    unbroken(chunk).filter(move |&(at, instruction)| is_known(at, instruction)).map(
        move |(at, instruction)| {
            let line = chunk.line_text(instruction.line as usize);
            SpelledInstruction { at, codes, chunk, instruction, inst: codes.inst(at), line }
        },
    )
}

/// The instructions of a chunk that the parser could read, with their indices.
fn unbroken(chunk: &Chunk) -> impl Iterator<Item = (u32, &Instruction)> {
    let mut broken = chunk.errors().iter().map(|error| error.line).peekable();
    (0..).zip(chunk.instructions()).filter(move |(_, instruction)| {
        while broken.next_if(|line| *line < instruction.line).is_some() {}
        broken.peek() != Some(&instruction.line)
    })
}

impl<'a> SpelledInstruction<'a> {
    fn mnemonic(&self) -> &'a str {
        self.chunk.mnemonic(self.instruction)
    }

    /// Returns the modifiers and operands that may follow the opcode. `None` if no listing in the tables
    /// contains the opcode.
    fn spelling(&self) -> Option<&'a Spelling> {
        self.codes.program.arch.isa.spelling(self.mnemonic())
    }

    /// Returns the forms that occur only in listings of architectures with nearly the same instruction set; `None` if
    /// there are no such forms.
    fn near_spelling(&self) -> Option<&'a Spelling> {
        self.codes.program.arch.isa.near_spelling(self.mnemonic())
    }

    fn operands(&self) -> impl Iterator<Item = &'a [Token]> + use<'a> {
        self.chunk.operands(self.instruction)
    }

    /// Kinds of the operands; `None` for an operand of unknown kind.
    fn kinds(&self) -> impl Iterator<Item = Option<OperandKind>> {
        let line = self.line;
        let names_resolve = names_resolve(self.chunk);
        self.operands().map(move |operand| operand_kind(operand, line, names_resolve))
    }

    fn finding(&self, code: &'static str, tokens: &[Token], message: String) -> Finding {
        Finding::new(code, Site::new(self.at, range(tokens)), message)
    }

    /// Returns a finding for a form that does not occur in any known listing of the architecture. `None` if the
    /// kernel's encodings suggest that a disassembler printed the form.
    ///
    /// The finding is a warning if listings of similar architectures contain the form, because this architecture may
    /// have it too, or if the tables do not list all forms of the opcode. Otherwise it is the finding of
    /// [`Self::absent`] with the message that `absent` returns.
    fn unseen(
        &self,
        prints: &PrintedForms<'_>,
        form: &UnseenForm<'_>,
        absent: impl FnOnce() -> String,
    ) -> Option<Finding> {
        let UnseenForm { code, tokens, what, is_near } = form;
        let is_complete = self.spelling().is_some_and(|spelling| spelling.is_complete);
        let print = prints.print_of(self.instruction);
        if print == FormEvidence::Agreed || print == FormEvidence::Alone && !is_complete {
            return None;
        }
        if is_complete && !is_near {
            return Some(self.absent(*code, tokens, absent()));
        }
        let others = if *is_near { "; listings of other architectures do" } else { "" };
        let message = format!("no known listing of {} shows {what}{others}", self.codes.arch());
        Some(Finding { severity: Some(Severity::Warning), ..self.finding(code.name(), tokens, message) })
    }

    /// Returns a finding for a spelling that is missing from the architecture's tables.
    fn absent(&self, code: Code, tokens: &[Token], message: String) -> Finding {
        Finding { severity: severity(self.codes), ..self.finding(code.name(), tokens, message) }
    }
}

/// True if a plain name may be a register, as in assembler sources and in text of unknown dialect.
fn names_resolve(chunk: &Chunk) -> bool {
    chunk.dialect().is_none_or(Dialect::is_source)
}

/// Byte range of the tokens in their line.
fn range(tokens: &[Token]) -> Range<u16> {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.start..last.start + last.len,
        _ => 0..0,
    }
}

/// Severity for a spelling that is missing from the architecture's tables: a warning unless the text names a known
/// architecture.
fn severity(codes: &Codes<'_>) -> Option<Severity> {
    // Each of these notations belongs to a single generation.
    let says_by_notation =
        matches!(codes.chunk.dialect(), Some(Dialect::Maxas | Dialect::KeplerAs | Dialect::TuringAs));
    let is_known = match codes.chunk.sm() {
        // All architectures of a major version have the same instruction words.
        Some(sm) => sm.number / 10 == codes.program.arch.sm / 10,
        None => says_by_notation,
    };
    (!is_known).then_some(Severity::Warning)
}
