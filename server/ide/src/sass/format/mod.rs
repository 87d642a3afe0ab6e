//! Formatting of hand-written sources in columns. Only white space changes. Disassembler listings are
//! unchanged.

mod columns;

use crate::TextEdit;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use columns::{AlignedLine, Columns, Style};
use std::ops::Range;
use syntax::sass::{Chunk, LineKind};

/// Returns the edits, in text order, that align control codes, predicates, opcodes, operands and
/// comments of the lines in the range (all lines for `None`). Column widths are computed from the
/// complete block of consecutive instruction lines, even if the range covers only some lines of the
/// block.
///
/// Empty for disassembler listings. Lines with syntax errors, encodings or dual-issue braces are
/// unchanged.
pub(crate) fn format(sass: &SassView, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
    let mut edits = Vec::new();
    let Some(style) = sass.listing().dialect().and_then(Style::for_dialect) else { return Ok(edits) };
    let range = range.unwrap_or(0..sass.listing().len());
    for index in sass.chunks_in(&range) {
        sass.cancel.check()?;
        let chunk = &sass.listing().chunks()[index];
        for block in blocks(chunk, &sass.lines_in(index, &range)) {
            let rows: Vec<AlignedLine<'_>> =
                block.filter_map(|line| AlignedLine::parse(chunk, line)).collect();
            let columns = Columns::fit(&rows, style);
            for row in &rows {
                let line = sass.line_range(index, row.line);
                if line.start < range.end && range.start < line.end || line.contains(&range.start) {
                    columns.align(row, line.start, &mut edits);
                }
            }
        }
    }
    Ok(edits)
}

/// Complete blocks of consecutive instruction lines that overlap the given lines.
fn blocks(chunk: &Chunk, lines: &Range<usize>) -> Vec<Range<usize>> {
    let is_instruction = |line: usize| chunk.lines()[line].kind == LineKind::Instruction;
    let mut blocks = Vec::new();
    let above = (0..lines.start).rev().take_while(|&line| is_instruction(line)).count();
    let mut at = lines.start - if lines.start < lines.end { above } else { 0 };
    while at < lines.end {
        if !is_instruction(at) {
            at += 1;
            continue;
        }
        let end =
            (at..chunk.lines().len()).find(|&line| !is_instruction(line)).unwrap_or(chunk.lines().len());
        blocks.push(at..end);
        at = end;
    }
    blocks
}
