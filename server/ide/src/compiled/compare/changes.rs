//! Changes to a kernel's instructions between two versions.

use super::kernels::{Counterpart, KernelPair, MatchedInstruction};
use crate::compiled::view::CodeView;
use crate::kernels::places::printed;
use serde::Serialize;

/// Instruction counts of a kernel by type of change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub same: usize,
    /// Number of instructions that differ only in register numbers.
    pub registers: usize,
    /// Number of instructions that are unchanged, but in another order.
    pub moved: usize,
    /// Number of instructions with the same opcode, position and source line, but other operands.
    pub changed: usize,
    pub removed: usize,
    pub added: usize,
}

/// An instruction that differs between the versions. `before` or `after` is null if the version lacks the
/// instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstructionChange {
    pub kernel: String,
    pub change: Change,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Source lines, 1-based. Null for code from another file.
    pub line_before: Option<u32>,
    pub line_after: Option<u32>,
}

/// Type of change of an instruction, as counted in [`Changes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Registers,
    Moved,
    Changed,
    Removed,
    Added,
}

/// Counts the instructions of a kernel by type of change, and appends the instructions that differ to `all`.
pub(super) fn instruction_changes(
    before: &CodeView<'_>,
    after: &CodeView<'_>,
    pair: &KernelPair,
    all: &mut Vec<InstructionChange>,
) -> Changes {
    let name = pair.name(before, after);
    let mut changes = Changes::default();
    let mut note = |change: Change, old: Option<usize>, new: Option<usize>| {
        let count = match change {
            Change::Registers => &mut changes.registers,
            Change::Moved => &mut changes.moved,
            Change::Changed => &mut changes.changed,
            Change::Removed => &mut changes.removed,
            Change::Added => &mut changes.added,
        };
        *count += 1;
        let text = |view: &CodeView<'_>, chunk: Option<usize>, inst: Option<usize>| {
            Some(printed(&view.sass.listing().chunks()[chunk?], inst?))
        };
        let line =
            |view: &CodeView<'_>, chunk: Option<usize>, inst: Option<usize>| view.line_of(chunk?, inst?);
        all.push(InstructionChange {
            kernel: name.to_owned(),
            change,
            before: text(before, pair.before, old),
            after: text(after, pair.after, new),
            line_before: line(before, pair.before, old),
            line_after: line(after, pair.after, new),
        });
    };
    let mut same = 0;
    let mut old_ones = pair.of_before.iter().peekable();
    for new in &pair.of_after {
        // Removed instructions are listed before the first unchanged instruction after them.
        let place = match new.partner {
            Counterpart::Same { inst, has_moved: false, .. } | Counterpart::Changed { inst } => Some(inst),
            Counterpart::None | Counterpart::Same { .. } => None,
        };
        let is_passed = |old: &&MatchedInstruction| match old.partner {
            Counterpart::None | Counterpart::Same { has_moved: true, .. } => true,
            _ => place.is_some_and(|place| old.inst <= place),
        };
        while let Some(old) = old_ones.next_if(is_passed) {
            if matches!(old.partner, Counterpart::None) {
                note(Change::Removed, Some(old.inst), None);
            }
        }
        match &new.partner {
            Counterpart::None => note(Change::Added, None, Some(new.inst)),
            Counterpart::Changed { inst } => note(Change::Changed, Some(*inst), Some(new.inst)),
            Counterpart::Same { inst, has_moved: true, .. } => {
                note(Change::Moved, Some(*inst), Some(new.inst));
            }
            Counterpart::Same { registers, .. } if registers.is_empty() => same += 1,
            Counterpart::Same { inst, .. } => note(Change::Registers, Some(*inst), Some(new.inst)),
        }
    }
    for old in old_ones.filter(|old| matches!(old.partner, Counterpart::None)) {
        note(Change::Removed, Some(old.inst), None);
    }
    Changes { same, ..changes }
}
