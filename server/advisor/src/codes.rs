//! A kernel's instructions with their control codes, the input of the rules on control codes.

use crate::finding::{Finding, Related, Site};
use model::hazards::{Checked, Hazard};
use model::{Chunk, Dialect, Inst, LineKind, Program, Register, TokenKind};
use std::ops::Range;

/// A kernel decoded for the architecture named in its text. The architecture of the selected GPU may differ.
#[derive(Debug)]
pub struct Codes<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// Results of the hazard check of the control codes.
    pub checked: &'a Checked,
    /// State of each instruction's control code: complete, or with values that the assembler still fills in.
    open: Vec<Open>,
    /// Line ranges of `<SCHEDULE_BLOCK>`s. maxas orders the instructions in these blocks.
    scheduled: Vec<Range<u32>>,
    /// Lines with generated code (`<CODE>`) or with instructions that contain inline code, ascending.
    unread: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// The control code in the text is final.
    Closed,
    /// The assembler fills in the stall count.
    Stall,
    /// The text has no control code, and the assembler fills it in.
    Code,
}

/// Names of the scoreboards in a mask, numbered as in the text's dialect: `SB0 or SB2`.
pub fn scoreboards(chunk: &Chunk, mask: u8, joined: &str) -> String {
    let first = u8::from(chunk.dialect() == Some(Dialect::Maxas));
    let names = (0..6).filter(|bit| mask >> bit & 1 == 1).map(|bit: u8| format!("SB{}", bit + first));
    names.collect::<Vec<_>>().join(&format!(" {joined} "))
}

impl<'a> Codes<'a> {
    /// Finds the instructions whose control codes an assembler completes, and the lines with generated code.
    pub fn new(chunk: &'a Chunk, program: &'a Program, checked: &'a Checked) -> Self {
        let scheduled = scheduled(chunk);
        let open = program.instructions.iter().map(|inst| match inst.control {
            None => Open::Code,
            Some(control) if control.stall.is_none() => Open::Stall,
            Some(_) if scheduled.iter().any(|block| block.contains(&inst.line)) => Open::Stall,
            Some(_) => Open::Closed,
        });
        let open = open.collect();
        let lines = chunk.lines().iter().zip(0..);
        let mut unread: Vec<u32> =
            lines.filter(|(line, _)| line.kind == LineKind::Opaque).map(|(_, at)| at).collect();
        let partly = chunk.instructions().iter().filter(|instruction| chunk.has_inline_code(instruction));
        unread.extend(partly.map(|instruction| instruction.line));
        unread.sort_unstable();
        Self { chunk, program, checked, open, scheduled, unread }
    }

    /// True if the instruction has a control code that the assembler will not change.
    pub(crate) fn is_final(&self, inst: u32) -> bool {
        self.open[inst as usize] == Open::Closed
    }

    /// True if the control codes are of a GPU generation that has scoreboards (all after Kepler).
    pub(crate) fn has_scoreboards(&self) -> bool {
        let mut codes = self.program.instructions.iter().filter_map(|inst| inst.control);
        codes.any(|control| control.kepler.is_none())
    }

    /// True if inline code (`<CODE>`, `[+ ... +]`) generates instructions or tokens of instructions. These
    /// are unknown.
    pub(crate) fn has_unread(&self) -> bool {
        !self.unread.is_empty()
    }

    /// True if both instructions have control codes and all code between them is known.
    pub(crate) fn has_codes_of(&self, hazard: &Hazard) -> bool {
        let has_code = |inst: u32| self.open[inst as usize] != Open::Code;
        has_code(hazard.first)
            && has_code(hazard.second)
            && self.reads_all(&self.between(hazard.first, hazard.second))
    }

    /// True if maxas may move an instruction that waits for one of the scoreboards to a position before
    /// `inst`. Both instructions must be in a block whose instructions maxas orders.
    pub(crate) fn may_wait_before(&self, inst: u32, scoreboards: u8) -> bool {
        let line = self.inst(inst).line;
        let waits = |other: &Inst| other.control.is_some_and(|control| control.wait_mask & scoreboards != 0);
        let block = self.scheduled.iter().find(|block| block.contains(&line));
        block.is_some_and(|block| {
            self.instructions().any(|(at, other)| at != inst && block.contains(&other.line) && waits(other))
        })
    }

    /// True if the number of cycles between two instructions is final, because all control codes between them
    /// are final. If the two instructions are not in order in one basic block, all control codes of the
    /// kernel must be final.
    pub(crate) fn has_final_cycles(&self, first: u32, second: u32) -> bool {
        let mut between = self.between(first, second);
        self.reads_all(&between) && between.all(|at| self.is_final(at))
    }

    /// The instructions from `first` to `second`, inclusive. If the two are not in order in one basic block,
    /// all instructions of the kernel.
    fn between(&self, first: u32, second: u32) -> Range<u32> {
        let is_straight = first < second && self.inst(first).block == self.inst(second).block;
        if is_straight { first..second + 1 } else { 0..self.open.len() as u32 }
    }

    /// True if no inline code generates tokens of these instructions.
    pub(crate) fn reads_all(&self, instructions: &Range<u32>) -> bool {
        let lines = self.inst(instructions.start).line..=self.inst(instructions.end - 1).line;
        let next = self.unread.partition_point(|line| line < lines.start());
        self.unread.get(next).is_none_or(|line| !lines.contains(line))
    }

    pub(crate) fn inst(&self, inst: u32) -> &'a Inst {
        &self.program.instructions[inst as usize]
    }

    pub(crate) fn instructions(&self) -> impl Iterator<Item = (u32, &'a Inst)> {
        (0..).zip(&self.program.instructions)
    }

    pub(crate) fn mnemonic(&self, inst: u32) -> &'a str {
        self.chunk.mnemonic(&self.chunk.instructions()[inst as usize])
    }

    /// Name of the architecture: `sm_90`.
    pub(crate) fn arch(&self) -> String {
        format!("sm_{}", self.program.arch.sm)
    }

    /// The register's name as written in the source.
    pub(crate) fn register(&self, register: Register) -> String {
        self.program.register_name(register)
    }

    /// Names of the scoreboards in a mask, numbered as in the text's dialect: `SB0 or SB2`.
    pub(crate) fn scoreboards(&self, mask: u8, joined: &str) -> String {
        scoreboards(self.chunk, mask, joined)
    }

    /// Byte range, in its line, of the operand or guard through which the instruction accesses the register.
    /// If there is no such operand, the range of the mnemonic.
    pub(crate) fn place(&self, inst: u32, register: Register, writes: bool) -> Range<u16> {
        let own = self.inst(inst);
        let accesses = if writes { self.program.writes(own) } else { self.program.reads(own) };
        let instruction = &self.chunk.instructions()[inst as usize];
        let access = accesses.iter().find(|access| access.register == register);
        let tokens = match access.map(|access| access.operand) {
            Some(Some(operand)) => self.chunk.operands(instruction).nth(usize::from(operand)),
            Some(None) if own.guard.is_some_and(|guard| guard.predicate == register) => {
                Some(self.chunk.guard(instruction))
            }
            _ => None,
        };
        match tokens.and_then(|tokens| tokens.first().zip(tokens.last())) {
            Some((first, last)) => first.start..last.start + last.len,
            None => self.at_mnemonic(inst),
        }
    }

    pub(crate) fn at_mnemonic(&self, inst: u32) -> Range<u16> {
        let token = self.chunk.mnemonic_token(&self.chunk.instructions()[inst as usize]);
        token.start..token.start + token.len
    }

    /// Byte range of the control code if it precedes the instruction, otherwise of the mnemonic.
    pub(crate) fn at_code(&self, inst: u32) -> Range<u16> {
        let tokens = self.chunk.line_tokens(self.inst(inst).line as usize);
        let code = tokens.iter().find(|token| token.kind == TokenKind::Control);
        code.map_or_else(|| self.at_mnemonic(inst), |token| token.start..token.start + token.len)
    }

    /// Returns a finding at an instruction, with related instructions and a message for each of them.
    pub(crate) fn finding(
        code: &'static str,
        inst: u32,
        range: Range<u16>,
        message: String,
        related: impl IntoIterator<Item = (u32, String)>,
    ) -> Finding {
        let related = related
            .into_iter()
            .map(|(instruction, message)| Related { place: Site::whole(instruction), message });
        Finding { related: related.collect(), ..Finding::new(code, Site::new(inst, range), message) }
    }
}

/// Line ranges of `<SCHEDULE_BLOCK>`s. maxas orders the instructions in these blocks and writes their stall
/// counts.
fn scheduled(chunk: &Chunk) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut begun = None;
    for (line, at) in chunk.lines().iter().zip(0_u32..) {
        if line.kind != LineKind::Directive {
            continue;
        }
        let text = chunk.line_text(at as usize).trim_start();
        if text.starts_with("<SCHEDULE_BLOCK") {
            begun = Some(at);
        } else if text.starts_with("</SCHEDULE_BLOCK") {
            found.extend(begun.take().map(|begun| begun..at));
        }
    }
    found.extend(begun.map(|begun| begun..chunk.lines().len() as u32));
    found
}
