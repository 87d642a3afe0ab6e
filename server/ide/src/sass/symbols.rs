//! The outline: kernels, their labels and basic blocks; data sections.

use crate::engine::cancel::Answer;
use crate::engine::names::demangle;
use crate::engine::sass_view::SassView;
use crate::words::numbers::counted;
use crate::{Symbol, SymbolKind};
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, TokenKind};

pub(crate) fn symbols(sass: &SassView) -> Answer<Vec<Symbol>> {
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

/// A data section: a chunk whose header names one.
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

/// Labels of the code, and basic blocks that none of them starts.
fn children(sass: &SassView, index: usize, chunk: &Chunk) -> Vec<Symbol> {
    let model = sass.model(chunk, &sass.target(chunk));
    let instructions = chunk.instructions();
    let mut children = Vec::new();
    let mut labels = label_lines(chunk).peekable();
    for (number, block) in model.program.blocks.iter().enumerate() {
        let (first, last) = (block.instructions.start as usize, block.instructions.end as usize - 1);
        let first_line = instructions[first].line as usize;
        let range = sass.line_range(index, first_line).start
            ..sass.line_range(index, instructions[last].line as usize).end;
        let detail = counted(last + 1 - first, "instruction");
        let mut labelled = false;
        while let Some(line) = labels.next_if(|&line| line < first_line) {
            let at = sass.line_range(index, line);
            let token = &chunk.line_tokens(line)[0];
            labelled = true;
            children.push(Symbol {
                name: token.text(chunk.line_text(line)).to_owned(),
                detail: detail.clone(),
                kind: SymbolKind::Label,
                range: at.start..range.end,
                selection: at.start + token.start as usize..at.start + token.end(),
                children: Vec::new(),
            });
        }
        if !labelled {
            let address = instructions[first].address;
            children.push(Symbol {
                name: address
                    .map_or_else(|| format!("block {}", number + 1), |address| format!("{address:#06x}")),
                detail,
                kind: SymbolKind::Block,
                selection: sass.line_range(index, first_line),
                range,
                children: Vec::new(),
            });
        }
    }
    children
}

fn label_lines(chunk: &Chunk) -> impl Iterator<Item = usize> {
    // The kernel's own labels say what the kernel's entry says.
    let is_own = |label: &str| label.starts_with(".text.") || chunk.name() == Some(label);
    (0..chunk.lines().len()).filter(move |&line| {
        chunk.lines()[line].kind == LineKind::Label
            && !is_own(chunk.line_tokens(line)[0].text(chunk.line_text(line)))
    })
}
