//! Outline: kernels with their labels, basic blocks, loops and barriers; data sections.

use crate::engine::cancel::Cancellable;
use crate::engine::names::demangle;
use crate::engine::outline::{nested, uncrossed};
use crate::engine::sass_view::SassView;
use crate::kernels::loops::loops;
use crate::words::numbers::counted;
use crate::{Symbol, SymbolKind};
use machine::Flow;
use std::ops::{Range, RangeInclusive};
use syntax::sass::{Chunk, LineKind, TokenKind};

pub(crate) fn symbols(sass: &SassView) -> Cancellable<Vec<Symbol>> {
    let mut symbols = Vec::new();
    for (index, chunk) in sass.listing().chunks().iter().enumerate() {
        sass.cancel.check()?;
        let start = sass.start(index);
        let range = start..start + chunk.text().trim_end().len();
        if chunk.instructions().is_empty() {
            symbols.extend(section(sass, index, chunk, range));
            continue;
        }
        let name = chunk.name().unwrap_or("kernel");
        let count = chunk.instructions().len();
        let arch = chunk.sm().map_or_else(String::new, |sm| format!("{sm}, "));
        let stated = sass.text.stated(&sass.context.machine).get(name);
        let registers = stated
            .registers
            .map_or_else(String::new, |count| format!(", {}", counted(count as usize, "register")));
        let shared = stated.shared.filter(|&bytes| bytes > 0);
        let shared = shared.map_or_else(String::new, |bytes| format!(", {bytes} B shared"));
        symbols.push(Symbol {
            name: demangle(name).unwrap_or_else(|| name.to_owned()),
            detail: format!("{arch}{}{registers}{shared}", counted(count, "instruction")),
            kind: SymbolKind::Kernel,
            range,
            selection: sass.name_range(index),
            children: children(sass, index, chunk),
        });
    }
    Ok(symbols)
}

/// Symbol of a data section, which is a chunk without code and with a name in its header. `None` for
/// other chunks.
fn section(sass: &SassView, index: usize, chunk: &Chunk, range: Range<usize>) -> Option<Symbol> {
    let line = sass.line_range(index, 0);
    if chunk.lines().first()?.kind != LineKind::Header {
        return None;
    }
    let tokens = chunk.line_tokens(0);
    let label = tokens.iter().find(|token| token.kind == TokenKind::Label)?;
    if tokens[0].kind != TokenKind::Comment {
        return None;
    }
    Some(Symbol {
        name: label.text(chunk.line_text(0)).to_owned(),
        detail: counted(chunk.lines().len(), "line"),
        kind: SymbolKind::Section,
        range,
        selection: line.start + label.start as usize..line.start + label.end(),
        children: Vec::new(),
    })
}

/// Code labels, basic blocks without a label, loops and barriers.
fn children(sass: &SassView, index: usize, chunk: &Chunk) -> Vec<Symbol> {
    let model = sass.model(chunk, &sass.target(chunk));
    let program = &model.program;
    let loops = uncrossed(loops(program));
    let mut entries = Vec::new();
    let mut labels = label_lines(chunk).peekable();
    for (number, block) in program.blocks.iter().enumerate() {
        let (first, last) = (block.instructions.start, block.instructions.end - 1);
        let first_line = chunk.instructions()[first as usize].line as usize;
        let of_block = Entry::new(sass, index, chunk, &loops, first..=last);
        let before = entries.len();
        while let Some(line) = labels.next_if(|&line| line < first_line) {
            entries.push(of_block.labelled(line));
        }
        // Of several adjacent labels, the last label contains the code.
        for line in before + 1..entries.len() {
            entries[line - 1].range.end = entries[line].range.start;
            entries[line - 1].kind = SymbolKind::Label;
        }
        if entries.len() == before {
            entries.push(of_block.unlabelled(number));
        }
        let barriers = (first..=last).filter(|&at| program.instructions[at as usize].flow == Flow::Barrier);
        entries.extend(barriers.map(|at| barrier(sass, index, chunk, at)));
    }
    nested(entries)
}

/// An outline entry for a basic block, or for the loop that starts at the block.
struct Entry<'a> {
    sass: &'a SassView,
    index: usize,
    chunk: &'a Chunk,
    detail: String,
    is_loop: bool,
    first_line: Range<usize>,
    /// End of the last line, as an offset in the text.
    end: usize,
    address: Option<u32>,
}

impl<'a> Entry<'a> {
    fn new(
        sass: &'a SassView,
        index: usize,
        chunk: &'a Chunk,
        loops: &[(u32, u32)],
        block: RangeInclusive<u32>,
    ) -> Self {
        let instructions = chunk.instructions();
        let (first, last) = (*block.start(), *block.end());
        let begun = loops.binary_search_by_key(&first, |(first, _)| *first).ok();
        let last = begun.map_or(last, |at| loops[at].1);
        let count = counted((last + 1 - first) as usize, "instruction");
        let start = &instructions[first as usize];
        Self {
            sass,
            index,
            chunk,
            detail: if begun.is_some() { format!("loop, {count}") } else { count },
            is_loop: begun.is_some(),
            first_line: sass.line_range(index, start.line as usize),
            end: sass.line_range(index, instructions[last as usize].line as usize).end,
            address: start.address,
        }
    }

    fn kind(&self, otherwise: SymbolKind) -> SymbolKind {
        if self.is_loop { SymbolKind::Loop } else { otherwise }
    }

    fn labelled(&self, line: usize) -> Symbol {
        let at = self.sass.line_range(self.index, line);
        let token = &self.chunk.line_tokens(line)[0];
        Symbol {
            name: token.text(self.chunk.line_text(line)).to_owned(),
            detail: self.detail.clone(),
            kind: self.kind(SymbolKind::Label),
            range: at.start..self.end,
            selection: at.start + token.start as usize..at.start + token.end(),
            children: Vec::new(),
        }
    }

    fn unlabelled(&self, number: usize) -> Symbol {
        let name = |address| format!("{address:#06x}");
        Symbol {
            name: self.address.map_or_else(|| format!("block {}", number + 1), name),
            detail: self.detail.clone(),
            kind: self.kind(SymbolKind::Block),
            range: self.first_line.start..self.end,
            selection: self.first_line.clone(),
            children: Vec::new(),
        }
    }
}

/// Symbol of an instruction that waits for other warps: `BAR.SYNC.DEFER_BLOCKING 0x0`.
fn barrier(sass: &SassView, index: usize, chunk: &Chunk, at: u32) -> Symbol {
    let instruction = &chunk.instructions()[at as usize];
    let line = sass.line_range(index, instruction.line as usize);
    let last = chunk.tokens(instruction.tokens).last().map_or(0, syntax::sass::Token::end);
    let text = chunk.mnemonic_token(instruction).start as usize..last;
    let range = line.start + text.start..line.start + text.end;
    Symbol {
        name: chunk.line_text(instruction.line as usize)[text].to_owned(),
        detail: instruction.address.map_or_else(String::new, |address| format!("{address:#06x}")),
        kind: SymbolKind::Barrier,
        range: range.clone(),
        selection: range,
        children: Vec::new(),
    }
}

fn label_lines(chunk: &Chunk) -> impl Iterator<Item = usize> {
    // Labels of the kernel itself would only duplicate the kernel's entry.
    let is_own = |label: &str| label.starts_with(".text.") || chunk.name() == Some(label);
    (0..chunk.lines().len()).filter(move |&line| {
        chunk.lines()[line].kind == LineKind::Label
            && !is_own(chunk.line_tokens(line)[0].text(chunk.line_text(line)))
    })
}
