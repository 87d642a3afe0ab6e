//! Names of a kernel's instructions: by their place in the text that people see.

use crate::engine::kernel::KernelModel;
use crate::engine::origin::Placed;
use crate::engine::sass_view::SassView;
use model::Program;
use syntax::sass::{Chunk, TokenKind};

impl SassView {
    /// The PTX that a chunk of a hidden listing stands for. `None` for a listing that people see.
    pub(crate) fn source(&self, chunk: &Chunk) -> Option<&Placed> {
        self.origin.as_ref()?.of(chunk)
    }

    /// `` `LDG` at 0x0090 ``, or `` `LDG` (instruction 3 of the kernel) `` where the text prints no addresses; of PTX
    /// `` `ld.global.f32` on line 12 ``.
    pub(crate) fn located(&self, model: &KernelModel, chunk: &Chunk, inst: usize) -> String {
        if let Some(source) = self.source(chunk) {
            return source.place(inst as u32);
        }
        let instruction = &chunk.instructions()[inst];
        let name = chunk.mnemonic(instruction);
        if instruction.address.is_some() {
            format!("`{name}` at {:#06x}", model.program.instructions[inst].address)
        } else {
            format!("`{name}` (instruction {} of the kernel)", inst + 1)
        }
    }

    /// `0x0080 to 0x00f0`, `lines 12 to 20`: the instructions of the basic block that an instruction stands in.
    pub(crate) fn region(&self, model: &KernelModel, chunk: &Chunk, inst: usize) -> String {
        let program = &model.program;
        let number = program.instructions[inst].block;
        if let Some((first, last)) = self.source(chunk).and_then(|source| source.lines(program, number)) {
            return if first == last {
                format!("line {first} alone")
            } else {
                format!("lines {first} to {last}")
            };
        }
        let block = &program.blocks[number as usize].instructions;
        let (first, last) = (block.start as usize, block.end.saturating_sub(1) as usize);
        match (chunk.instructions()[first].address.is_some(), first == last) {
            (true, true) => format!("{:#06x} alone", program.instructions[first].address),
            (true, false) => {
                format!(
                    "{:#06x} to {:#06x}",
                    program.instructions[first].address, program.instructions[last].address
                )
            }
            (false, true) => format!("instruction {} of the kernel alone", first + 1),
            (false, false) => format!("instructions {} to {} of the kernel", first + 1, last + 1),
        }
    }

    /// `at 0x01e8, 0x01f0 and 230 more`, `on lines 12, 14 and 3 more`: the first `most` of some instructions.
    pub(crate) fn all_located(&self, chunk: &Chunk, program: &Program, insts: &[u32], most: usize) -> String {
        let mut places: Vec<String>;
        let what;
        if let Some(source) = self.source(chunk) {
            let mut lines: Vec<u32> = insts.iter().map(|&inst| source.line_of(inst)).collect();
            lines.dedup();
            what = if lines.len() == 1 { "on line" } else { "on lines" };
            places = lines.iter().map(u32::to_string).collect();
        } else {
            let address = |inst: &u32| program.instructions.get(*inst as usize).map(|inst| inst.address);
            what = "at";
            places = insts.iter().filter_map(address).map(|address| format!("{address:#06x}")).collect();
        }
        let rest = places.len().saturating_sub(most);
        places.truncate(most);
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        format!("{what} {}{more}", places.join(", "))
    }

    /// The 1-based line of the text that an instruction stands on; `first_line` is the chunk's, from 0.
    pub(crate) fn line_of(&self, chunk: &Chunk, inst: u32, first_line: u32) -> u32 {
        match self.source(chunk) {
            Some(source) => source.line_of(inst),
            None => first_line + chunk.instructions()[inst as usize].line + 1,
        }
    }

    /// An instruction as the text has it.
    pub(crate) fn text_of(&self, chunk: &Chunk, inst: u32) -> String {
        let statement = self.source(chunk).and_then(|source| Some((source, source.statement(inst)?)));
        match statement {
            Some((source, statement)) => source.printed(statement),
            None => printed(chunk, inst as usize),
        }
    }

    /// Returns the key by which the trips of a branch's loop are stated: the branch's address; in PTX the label at its
    /// head.
    pub(crate) fn loop_key(&self, chunk: &Chunk, branch: u32, address: u32) -> String {
        let label = self.source(chunk).and_then(|source| source.label(branch));
        label.map_or_else(|| format!("{address:#x}"), str::to_owned)
    }
}

/// An instruction as the text has it, from the guard to the last operand.
pub(crate) fn printed(chunk: &Chunk, index: usize) -> String {
    let instruction = &chunk.instructions()[index];
    let line = chunk.line_text(instruction.line as usize);
    let tokens = chunk.tokens(instruction.tokens);
    match (tokens.first(), tokens.iter().rev().find(|token| token.kind != TokenKind::Error)) {
        (Some(first), Some(last)) => line[first.start as usize..last.end().max(first.end())].to_owned(),
        _ => String::new(),
    }
}
