//! Compares the code of two versions of a source by kernel, instruction and line.

mod align;
mod changes;
mod figures;
mod kernels;
mod line_changes;
mod lines;
mod text;
mod words;

#[cfg(test)]
mod tests;

use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::kernels::predict::effort::{full, quick};
use changes::instruction_changes;
pub use changes::{Change, Changes, InstructionChange};
pub use figures::KernelFigures;
pub(super) use figures::figures_of;
use kernels::pairs;
pub use line_changes::LineChange;
use line_changes::line_changes;
use lines::LinePairs;
use model::Launch;
use model::pipeline::Budget;
use serde::Serialize;

/// Differences between the code of two versions of a source.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The instructions of each version, one per line, with their source lines. An instruction that is in
    /// both versions is printed identically in both: with the registers and the source line of the later
    /// version, and a note about its former registers.
    pub before: String,
    pub after: String,
    /// Kernels of either version, in alphabetical order.
    pub kernels: Vec<KernelChange>,
    /// Instructions that differ, in code order. A removed instruction precedes its replacement.
    pub instructions: Vec<InstructionChange>,
    /// Source lines with code in either version, in the order of the later source.
    pub lines: Vec<LineChange>,
}

/// Figures of a kernel before and after an edit. Null if a version lacks the kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelChange {
    pub name: String,
    pub before: Option<KernelFigures>,
    pub after: Option<KernelFigures>,
    pub changes: Changes,
}

/// Compares the code of two versions of a source. The code of each version must not be stale.
pub(crate) fn compare(before: &CodeView<'_>, after: &CodeView<'_>) -> Cancellable<Comparison> {
    let lines = LinePairs::new(before.text(), after.text());
    let pairs = pairs(before, after, &lines)?;
    let mut kernels = Vec::new();
    let mut instructions = Vec::new();
    for pair in &pairs {
        let changes = instruction_changes(before, after, pair, &mut instructions);
        let hash =
            |view: &CodeView<'_>, chunk: Option<usize>| Some(view.sass.listing().chunks()[chunk?].hash());
        // Identical code has the same figures in both versions, even with quick simulations.
        let is_same = hash(before, pair.before) == hash(after, pair.after);
        let budget: fn(&Launch) -> Budget = if is_same { |_| quick() } else { full };
        let figures = |view: &CodeView<'_>, chunk: Option<usize>| match chunk {
            Some(chunk) => figures_of(view, chunk, budget),
            None => Ok(None),
        };
        let (old, new) = (figures(before, pair.before)?, figures(after, pair.after)?);
        if old.is_some() || new.is_some() {
            let name = pair.name(before, after).to_owned();
            kernels.push(KernelChange { name, before: old, after: new, changes });
        }
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    let lines = line_changes(&lines, before, after, &instructions);
    let (before, after) = text::texts(before, after, &pairs, &lines);
    Ok(Comparison { before, after, kernels, instructions, lines })
}
