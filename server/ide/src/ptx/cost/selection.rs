//! Cycles of selected statements, from the issue of their first instruction to the issue of their last
//! instruction.

use crate::SelectionCycles;
use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::kernels::selection;
use crate::ptx::view::View;
use std::ops::Range;

/// Cycles of a selection. `None` unless the selection is within one function and covers at least two
/// SASS instructions.
pub(crate) fn selection_cycles(
    view: &View<'_>,
    range: &Range<usize>,
) -> Cancellable<Option<SelectionCycles>> {
    // A selection of complete lines ends before the first byte of the next line.
    let range = range.start..range.end.saturating_sub(1).max(range.start);
    let mut touched = view.functions_in(&range).into_iter().filter_map(|item| {
        let hidden = view.cost(item)?;
        let is_in = |statement: usize| {
            let own = hidden.placed.range(statement);
            own.start <= range.end && range.start < own.end
        };
        let statements: Vec<usize> = hidden.placed.statements().filter(|&one| is_in(one)).collect();
        let (&first, &last) = (statements.first()?, statements.last()?);
        Some((hidden, first..=last))
    });
    let (Some((hidden, statements)), None) = (touched.next(), touched.next()) else { return Ok(None) };
    let Some(kernel) = hidden.kernel() else { return Ok(None) };
    // Skip instructions that were moved out of their block, for example out of a loop. They execute
    // elsewhere.
    let mut own = (0..kernel.chunk.instructions().len() as u32).filter(|&inst| {
        hidden.placed.statement(inst).is_some_and(|statement| statements.contains(&statement))
            && hidden.placed.is_in_place(kernel.program(), inst)
    });
    let Some(first) = own.next() else { return Ok(None) };
    let Some(last) = own.next_back() else { return Ok(None) };
    let said = selection::between(&hidden.sass, kernel.index, first, last)?;
    Ok(Some(SelectionCycles {
        text: format!("{} · {ESTIMATED}", said.text),
        detail: format!("*{ESTIMATED}.{}*\n\n{}", hidden.placed.cost.doubts(), said.detail),
        ..said
    }))
}
