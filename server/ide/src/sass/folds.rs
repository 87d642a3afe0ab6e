//! Foldable ranges: kernels, sections, assembler blocks, consecutive comments.

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::{Fold, FoldKind};
use machine::Flow;
use syntax::sass::{Chunk, LineKind, TokenKind};

pub(crate) fn folds(sass: &SassView) -> Cancellable<Vec<Fold>> {
    let mut folds = Vec::new();
    for (index, chunk) in sass.listing().chunks().iter().enumerate() {
        sass.cancel.check()?;
        let mut add = |first: usize, last: usize, kind| {
            if last > first {
                let range = sass.line_range(index, first).start..sass.line_range(index, last).end;
                folds.push(Fold { range, kind });
            }
        };
        if let Some(last) = last_filled(chunk, chunk.lines().len())
            && chunk.lines()[0].kind == LineKind::Header
        {
            add(0, last, FoldKind::Region);
        }
        let regions =
            [tagged_blocks(chunk), inline_code(chunk), labelled_blocks(chunk), loops_by_address(sass, chunk)];
        for (first, last) in regions.concat() {
            add(first, last, FoldKind::Region);
        }
        for (first, last) in comment_runs(chunk) {
            add(first, last, FoldKind::Comment);
        }
    }
    folds.sort_by_key(|fold| (fold.range.start, std::cmp::Reverse(fold.range.end)));
    Ok(folds)
}

/// Index of the last line before `end` that is not blank; `None` if all lines are blank.
fn last_filled(chunk: &Chunk, end: usize) -> Option<usize> {
    (0..end).rev().find(|&line| chunk.lines()[line].kind != LineKind::Blank)
}

/// Line ranges from an opening tag such as `<CODE>` to its closing tag, for all assembler blocks.
fn tagged_blocks(chunk: &Chunk) -> Vec<(usize, usize)> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut blocks = Vec::new();
    for (index, line) in chunk.lines().iter().enumerate() {
        if line.kind != LineKind::Directive {
            continue;
        }
        let tag = chunk.line_text(index).trim();
        let Some(inside) = tag.strip_prefix('<').and_then(|rest| rest.split('>').next()) else { continue };
        if let Some(name) = inside.strip_prefix('/') {
            if let Some(at) = open.iter().rposition(|(opened, _)| *opened == name) {
                blocks.push((open[at].1, index));
                open.truncate(at);
            }
        } else if !inside.ends_with('/') {
            open.push((inside, index));
        }
    }
    blocks
}

/// Line ranges from `[+` or `[-` to the end of the inline code.
fn inline_code(chunk: &Chunk) -> Vec<(usize, usize)> {
    let goes_on =
        |line: usize| chunk.lines().get(line).is_some_and(syntax::sass::Line::leads_into_inline_code);
    let mut found = Vec::new();
    let mut first = 0;
    while first < chunk.lines().len() {
        let last =
            (first..chunk.lines().len()).find(|&line| !goes_on(line)).unwrap_or(chunk.lines().len() - 1);
        if last > first {
            found.push((first, last));
        }
        first = last + 1;
    }
    found
}

/// Line ranges from each code label to the line before the next label.
fn labelled_blocks(chunk: &Chunk) -> Vec<(usize, usize)> {
    let labels: Vec<usize> = (0..chunk.lines().len())
        .filter(|&line| chunk.lines()[line].kind == LineKind::Label)
        .filter(|&line| {
            !chunk
                .line_tokens(line)
                .first()
                .is_some_and(|label| is_section(label.text(chunk.line_text(line))))
        })
        .collect();
    // An assembler tag also ends the fold of a label, so that folds never cross.
    let is_tag = |&line: &usize| {
        chunk.lines()[line].kind == LineKind::Directive && chunk.line_text(line).trim_start().starts_with('<')
    };
    let end_of = |label: usize, next: usize| (label..next).find(is_tag).unwrap_or(next);
    let nexts = labels.iter().skip(1).copied().chain([chunk.lines().len()]);
    let blocks = labels
        .iter()
        .zip(nexts)
        .filter_map(|(&label, next)| Some((label, last_filled(chunk, end_of(label, next))?)));
    let has_code = |first: usize, last: usize| {
        (first..=last).any(|line| chunk.lines()[line].kind == LineKind::Instruction)
    };
    blocks.filter(|&(first, last)| has_code(first, last)).collect()
}

/// Returns the line ranges from the target of each backward branch to the branch, in listings that name targets by
/// address. In listings with labels, the block after the loop's label is already a fold. Of two loops that
/// overlap without nesting, or that begin at the same instruction, only the one that ends first is returned.
fn loops_by_address(sass: &SassView, chunk: &Chunk) -> Vec<(usize, usize)> {
    let arch = sass.isa_arch(chunk);
    let instructions = chunk.instructions();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (at, inst) in instructions.iter().enumerate() {
        let (Some(address), Some(target)) = (inst.address, chunk.tokens(inst.tokens).last()) else {
            continue;
        };
        if target.kind != TokenKind::Integer || target.value >= address {
            continue;
        }
        let form = arch.isa.find(chunk.mnemonic(inst), std::iter::empty());
        if !form.is_some_and(|form| arch.isa.form(form).flow == Flow::Branch) {
            continue;
        }
        let to = instructions[..at].partition_point(|inst| inst.address < Some(target.value));
        if instructions[to].address != Some(target.value) {
            continue;
        }
        let next = instructions.get(at + 1).map_or(inst.line as usize + 1, |next| next.line as usize);
        let (first, last) = (instructions[to].line as usize, next - 1);
        let crosses =
            |&(begin, end): &(usize, usize)| begin < first && first <= end && end < last || begin == first;
        // An inner loop ends before its outer loop, so the later of two crossing loops is omitted.
        let near = loops.iter().rev().take_while(|(_, end)| *end >= first);
        if !near.into_iter().any(crosses) {
            loops.push((first, last));
        }
    }
    loops
}

fn is_section(label: &str) -> bool {
    label.starts_with(".text.") || label.starts_with(".nv.")
}

fn comment_runs(chunk: &Chunk) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for line in 0..=chunk.lines().len() {
        let is_comment = line < chunk.lines().len()
            && chunk.lines()[line].kind == LineKind::Comment
            && chunk.line_tokens(line).first().is_some_and(|token| token.kind == TokenKind::Comment);
        match (is_comment, start) {
            (true, None) => start = Some(line),
            (false, Some(first)) => {
                runs.push((first, line - 1));
                start = None;
            }
            _ => {}
        }
    }
    runs
}
