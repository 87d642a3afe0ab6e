//! Inlay hints for PTX statements: the hints of the SASS instruction that represents each statement.

use super::hidden::HiddenListing;
use super::hover::FOLDED;
use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::engine::origin::main_of;
use crate::kernels::early::columns;
use crate::kernels::hints::HintRequest;
use crate::ptx::view::View;
use crate::{Hint, HintKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Hint kinds shown for PTX. Control codes and dual issue are omitted, because ptxas may choose them differently than
/// this lowering.
const SHOWN: [HintKind; 3] = [HintKind::Latency, HintKind::IssueCycle, HintKind::LiveRegisters];

pub(crate) fn hints(view: &View<'_>, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
    let mut found = Vec::new();
    for item in view.functions_in(&asked.range) {
        view.cancel.check()?;
        of_item(view, item, asked, &mut found)?;
        view.remember(item);
    }
    // The sort is stable, so hints at one position keep the order of their kinds.
    found.sort_by_key(|hint| hint.offset);
    Ok(found)
}

/// True if the settings enable any of the hints for PTX.
pub(crate) fn are_wanted(view: &View<'_>) -> bool {
    let kinds = view.context.config.hints;
    kinds.latency || kinds.issue_cycle || kinds.live_registers
}

/// Appends the hints of one function. Hints at the same position are adjacent.
pub(crate) fn of_item(
    view: &View<'_>,
    item: usize,
    asked: &HintRequest,
    found: &mut Vec<Hint>,
) -> Cancellable<()> {
    if !are_wanted(view) {
        return Ok(());
    }
    let Some(hidden) = view.cost(item) else { return Ok(()) };
    let Some(kernel) = hidden.kernel() else { return Ok(()) };
    let is_wanted = |statement: &usize| {
        let start = hidden.placed.range(*statement).start;
        asked.range.contains(&start) || start == asked.range.end
    };
    let mut own: FxHashMap<usize, Vec<u32>> =
        hidden.placed.statements().filter(is_wanted).map(|statement| (statement, Vec::new())).collect();
    for inst in 0..kernel.chunk.instructions().len() as u32 {
        if let Some(own) = hidden.placed.statement(inst).and_then(|statement| own.get_mut(&statement)) {
            own.push(inst);
        }
    }
    let mut chosen: FxHashMap<u32, usize> = FxHashMap::default();
    let mut folded = Vec::new();
    for (statement, own) in own {
        match main_of(&hidden.placed, kernel.program(), &own) {
            Some(inst) => drop(chosen.insert(inst, statement)),
            None => folded.push(statement),
        }
    }
    let Some(wanted) = lines(&hidden, chosen.keys().copied()) else { return Ok(()) };
    let said = |text: &str| if asked.tooltips { format!("*{ESTIMATED}*\n\n{text}") } else { String::new() };
    let from = found.len();
    for hint in crate::kernels::hints::hints(&hidden.sass, &HintRequest { range: wanted, ..*asked })? {
        let inst = hidden.instruction_at(hint.offset);
        let Some(&statement) = inst.and_then(|inst| chosen.get(&inst)) else { continue };
        if SHOWN.contains(&hint.kind) {
            let tooltip = said(&hint.tooltip);
            found.push(Hint { offset: hidden.placed.range(statement).start, tooltip, ..hint });
        }
    }
    let columns = columns(&found[from..]);
    for statement in folded {
        let offset = hidden.placed.range(statement).start;
        // Placeholders keep the text after the hints aligned.
        found.extend(columns.iter().map(|&(kind, width)| Hint {
            offset,
            kind,
            label: format!("{:^width$}", "·"),
            tooltip: said(FOLDED),
        }));
    }
    Ok(())
}

/// Byte range in the listing from the first to the last instruction; `None` if `insts` is empty.
fn lines(hidden: &HiddenListing, insts: impl Iterator<Item = u32> + Clone) -> Option<Range<usize>> {
    let (chunk, start) = hidden.chunk()?;
    let line = chunk.instructions()[insts.clone().max()? as usize].line;
    let last = &chunk.lines()[line as usize];
    Some(hidden.offset_of(insts.min()?)?..start + (last.start + last.len) as usize)
}
