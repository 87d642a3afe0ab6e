//! Names for a kernel's instructions, by their position in the text that the user sees.

use crate::engine::kernel_view::KernelView;
use crate::engine::origin::LoweredFunction;
use crate::words::numbers::first_of;
use model::Program;
use syntax::sass::{Chunk, TokenKind};

impl<'a> KernelView<'a> {
    /// Returns the PTX function that the kernel was lowered from; `None` for a kernel of a listing that
    /// the user sees.
    pub(crate) fn source(&self) -> Option<&'a LoweredFunction> {
        self.sass.source(self.chunk)
    }

    /// Name and location of an instruction, as in [`located`]; for PTX: `` `ld.global.f32` on line 12
    /// ``.
    pub(crate) fn located(&self, inst: u32) -> String {
        let source = self.source().map(|source| source.place(inst));
        source.unwrap_or_else(|| located(self.chunk, self.program(), inst))
    }

    /// Extent of the basic block around an instruction: `0x0080 to 0x00f0`, `lines 12 to 20`.
    pub(crate) fn region(&self, inst: usize) -> String {
        let program = self.program();
        let number = program.instructions[inst].block;
        if let Some((first, last)) = self.source().and_then(|source| source.lines(program, number)) {
            return if first == last {
                format!("line {first} alone")
            } else {
                format!("lines {first} to {last}")
            };
        }
        let block = &program.blocks[number as usize].instructions;
        let (first, last) = (block.start as usize, block.end.saturating_sub(1) as usize);
        let address = |inst: usize| program.instructions[inst].address;
        match (self.text(first).address.is_some(), first == last) {
            (true, true) => format!("{:#06x} alone", address(first)),
            (true, false) => format!("{:#06x} to {:#06x}", address(first), address(last)),
            (false, true) => format!("instruction {} of the kernel alone", first + 1),
            (false, false) => format!("instructions {} to {} of the kernel", first + 1, last + 1),
        }
    }

    /// Positions of instructions: `at 0x01e8, 0x01f0 and 230 more`, `on lines 12, 14 and 3 more`. At most `most` are
    /// listed.
    pub(crate) fn all_located(&self, insts: &[u32], most: usize) -> String {
        if let Some(source) = self.source() {
            let mut lines: Vec<u32> = insts.iter().map(|&inst| source.line_of(inst)).collect();
            lines.dedup();
            let s = if lines.len() == 1 { "" } else { "s" };
            return format!("on line{s} {}", first_of(&lines, most));
        }
        let address = |inst: &u32| self.program().instructions.get(*inst as usize).map(|inst| inst.address);
        let addresses = insts.iter().filter_map(address).map(|address| format!("{address:#06x}"));
        format!("at {}", first_of(&addresses.collect::<Vec<_>>(), most))
    }

    /// Returns the 1-based line of an instruction in the text.
    pub(crate) fn line_of(&self, inst: u32) -> u32 {
        match self.source() {
            Some(source) => source.line_of(inst),
            None => self.first_line() + self.text(inst as usize).line + 1,
        }
    }

    /// Text of an instruction in the document that the user sees.
    pub(crate) fn printed(&self, inst: u32) -> String {
        let statement = self.source().and_then(|source| Some((source, source.statement(inst)?)));
        match statement {
            Some((source, statement)) => source.printed(statement),
            None => printed(self.chunk, inst as usize),
        }
    }
}

/// Name and location of an instruction: `` `LDG` at 0x0090 ``, or `` `LDG` (instruction 3 of the
/// kernel) `` if the listing has no addresses.
pub(crate) fn located(chunk: &Chunk, program: &Program, inst: u32) -> String {
    let instruction = &chunk.instructions()[inst as usize];
    let name = chunk.mnemonic(instruction);
    match instruction.address {
        Some(_) => format!("`{name}` at {:#06x}", program.instructions[inst as usize].address),
        None => format!("`{name}` (instruction {} of the kernel)", inst + 1),
    }
}

/// Text of an instruction, from the guard to the last operand.
pub(crate) fn printed(chunk: &Chunk, index: usize) -> String {
    let instruction = &chunk.instructions()[index];
    let line = chunk.line_text(instruction.line as usize);
    let tokens = chunk.tokens(instruction.tokens);
    match (tokens.first(), tokens.iter().rev().find(|token| token.kind != TokenKind::Error)) {
        (Some(first), Some(last)) => line[first.start as usize..last.end().max(first.end())].to_owned(),
        _ => String::new(),
    }
}
