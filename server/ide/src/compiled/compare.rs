//! The code of two versions of a source: what changed, by kernel, by instruction and by line.

use super::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::names;
use crate::sass::launch::launches;
use crate::sass::lenses::occupancy_in_short;
use crate::sass::places::printed;
use crate::sass::predict::{EDITOR_EFFORT, Question};
use model::pipeline::Budget;
use serde::Serialize;
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Two versions of the code of a source.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The instructions of each, one on a line, with the source line that each comes from and without what an unchanged
    /// instruction changes in: addresses, encodings, line numbers. For a differ.
    pub before: String,
    pub after: String,
    /// Kernels that either has, in the order of their names.
    pub kernels: Vec<KernelChange>,
    /// Lines whose count of instructions changed, in the order of the text as it is.
    pub lines: Vec<LineChange>,
}

/// One kernel before and after; null where a version lacks it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelChange {
    pub name: String,
    pub before: Option<KernelFigures>,
    pub after: Option<KernelFigures>,
}

/// Figures of a kernel at its first launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelFigures {
    pub instructions: usize,
    /// A thread.
    pub registers: u32,
    /// Bytes a block.
    pub shared: u32,
    pub occupancy: String,
    /// Predicted; null where they are not known.
    pub cycles: Option<f64>,
    pub cycles_in_words: String,
}

/// A line of the source in both versions; null where a version lacks it. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineChange {
    pub line_before: Option<u32>,
    pub line_after: Option<u32>,
    pub instructions_before: u32,
    pub instructions_after: u32,
}

/// Compares the code of two versions of a source, each whose code is of its text.
pub(crate) fn compare(before: &CodeView<'_>, after: &CodeView<'_>) -> Answer<Comparison> {
    let (old, new) = (figures(before)?, figures(after)?);
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let mut kernels: Vec<KernelChange> = names
        .map(|name| KernelChange {
            name: name.clone(),
            before: old.get(name).cloned(),
            after: new.get(name).cloned(),
        })
        .collect();
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Comparison {
        before: instructions(before),
        after: instructions(after),
        kernels,
        lines: lines(before, after),
    })
}

fn figures(view: &CodeView<'_>) -> Answer<BTreeMap<String, KernelFigures>> {
    let mut all = BTreeMap::new();
    for (index, chunk) in view.sass.kernels() {
        if let Some(figures) = figures_of(view, index)? {
            all.insert(names::kernel_name(chunk).to_owned(), figures);
        }
    }
    Ok(all)
}

/// The figures of the kernel in a chunk; `None` where nothing launches it.
pub(super) fn figures_of(view: &CodeView<'_>, chunk: usize) -> Answer<Option<KernelFigures>> {
    view.sass.cancel.check()?;
    let kernel = view.sass.kernel(chunk);
    let launches = launches(&kernel);
    let Some((launch, times)) = launches.first() else { return Ok(None) };
    let question = Question { kernel: &kernel, launch, number: 0, times };
    let cycles = question.cycles(Budget::new(EDITOR_EFFORT))?;
    Ok(Some(KernelFigures {
        instructions: view.code.stacks[chunk].iter().filter(|stack| !stack.is_empty()).count(),
        registers: launch.registers.value,
        shared: launch.shared.value,
        occupancy: occupancy_in_short(&times.occupancy),
        cycles: cycles.number(),
        cycles_in_words: cycles.in_words(),
    }))
}

/// All instructions that come from a source, one on a line.
fn instructions(view: &CodeView<'_>) -> String {
    let mut text = String::new();
    for (index, chunk) in view.sass.kernels() {
        let name = names::kernel_name(chunk);
        let _ = writeln!(text, "// {}", names::demangle(name).as_deref().unwrap_or(name));
        for (inst, stack) in view.code.stacks[index].iter().enumerate() {
            if stack.is_empty() {
                continue;
            }
            let source = view.line_of(index, inst).and_then(|line| view.text_of(line)).unwrap_or_default();
            let _ = writeln!(text, "{:<48} // {source}", printed(chunk, inst));
        }
        text.push('\n');
    }
    text
}

/// Lines whose count of instructions changed.
fn lines(before: &CodeView<'_>, after: &CodeView<'_>) -> Vec<LineChange> {
    let (old, new) = (counts(before), counts(after));
    let mut changes = Vec::new();
    let mut change = |line_before: Option<u32>, line_after: Option<u32>| {
        let count = |counts: &BTreeMap<u32, u32>, line: Option<u32>| {
            line.and_then(|line| counts.get(&line)).copied().unwrap_or(0)
        };
        let (instructions_before, instructions_after) = (count(&old, line_before), count(&new, line_after));
        if instructions_before != instructions_after {
            changes.push(LineChange { line_before, line_after, instructions_before, instructions_after });
        }
    };
    let diff = TextDiff::from_lines(before.text(), after.text());
    for op in diff.ops() {
        let (old, new) = (op.old_range(), op.new_range());
        // Lines that were replaced stand side by side; of more on one side, the rest stands alone.
        for at in 0..old.len().max(new.len()) {
            let number = |range: &Range<usize>| (at < range.len()).then(|| (range.start + at + 1) as u32);
            change(number(&old), number(&new));
        }
    }
    changes
}

/// Instructions by the line of the source.
fn counts(view: &CodeView<'_>) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for (index, _) in view.sass.kernels() {
        for inst in 0..view.code.stacks[index].len() {
            if let Some(line) = view.line_of(index, inst) {
                *counts.entry(line).or_default() += 1;
            }
        }
    }
    counts
}
