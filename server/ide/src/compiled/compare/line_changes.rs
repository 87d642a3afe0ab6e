//! Instruction counts per source line before and after an edit.

use super::changes::{Change, InstructionChange};
use super::lines::LinePairs;
use crate::compiled::view::CodeView;
use serde::Serialize;
use std::collections::BTreeMap;

/// A source line with code in either version. Lines are 1-based. Null if a version lacks the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineChange {
    pub line_before: Option<u32>,
    pub line_after: Option<u32>,
    pub instructions_before: u32,
    pub instructions_after: u32,
    /// Numbers of instructions that were removed, that were added, and whose operands changed.
    pub removed: u32,
    pub added: u32,
    pub changed: u32,
}

/// Returns the lines with code in either version, each with its instruction counts and changes.
pub(super) fn line_changes(
    pairs: &LinePairs,
    before: &CodeView<'_>,
    after: &CodeView<'_>,
    instructions: &[InstructionChange],
) -> Vec<LineChange> {
    let (old, new) = (counts(before), counts(after));
    let (mut lost, mut got, mut others) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for one in instructions {
        let (counts, line) = match one.change {
            Change::Removed => (&mut lost, one.line_before),
            Change::Added => (&mut got, one.line_after),
            Change::Changed => (&mut others, one.line_after),
            Change::Registers | Change::Moved => continue,
        };
        if let Some(line) = line {
            *counts.entry(line).or_default() += 1;
        }
    }
    let of = |counts: &BTreeMap<u32, u32>, line: Option<u32>| {
        line.and_then(|line| counts.get(&line)).copied().unwrap_or(0)
    };
    let change = |(line_before, line_after)| LineChange {
        line_before,
        line_after,
        instructions_before: of(&old, line_before),
        instructions_after: of(&new, line_after),
        removed: of(&lost, line_before),
        added: of(&got, line_after),
        changed: of(&others, line_after),
    };
    let has_code = |line: &LineChange| line.instructions_before + line.instructions_after > 0;
    pairs.iter().map(change).filter(has_code).collect()
}

/// Returns the number of instructions per source line.
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
