//! Early hints for PTX, see [`crate::kernels::early`].

use super::hints::{are_wanted, of_item};
use crate::Hint;
use crate::engine::cancel::Cancellable;
use crate::kernels::early::{EditedFunction, carry_over, columns, is_ready, pending};
use crate::kernels::hints::HintRequest;
use crate::ptx::view::View;

/// Maximum number of statements in a function that is lowered within a few milliseconds. Source: lowering takes about
/// 15 microseconds per statement.
const SHORT: usize = 400;

pub(crate) fn early_hints(view: &View<'_>, asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
    let mut found = Vec::new();
    let mut is_early = false;
    if !are_wanted(view) {
        return Ok(None);
    }
    for index in view.functions_in(&asked.range) {
        view.cancel.check()?;
        let item = &view.module.items()[index];
        if !is_long(view, index) || view.is_ready(index) {
            of_item(view, index, asked, &mut found)?;
            continue;
        }
        let Some((text, before)) = view.lineage.find(item.name().unwrap_or_default()) else {
            return Ok(None);
        };
        let earlier = view.earlier(&text);
        if !earlier.is_ready(before) {
            return Ok(None);
        }
        if earlier.target_gpu().gpu.part.id != view.target_gpu().gpu.part.id {
            return Ok(None);
        }
        let carried = EditedFunction {
            before: (earlier.start(before), earlier.module.items()[before].text()),
            now: (view.start(index), item.text()),
        };
        let mut hints = Vec::new();
        let changed =
            carried.take_over(asked, &mut hints, |asked, hints| of_item(&earlier, before, asked, hints))?;
        hints.sort_by_key(|hint| hint.offset);
        let columns = columns(&hints);
        for hint in &mut hints {
            carry_over(hint, false, asked.tooltips);
        }
        for statement in item.statements() {
            let range = item.range(statement);
            let offset = view.start(index) + range.start as usize;
            let is_asked = asked.range.contains(&offset) || offset == asked.range.end;
            if is_asked
                && changed.contains(&offset)
                && matches!(statement.kind, syntax::ptx::StatementKind::Instruction { .. })
            {
                hints.extend(
                    columns.iter().map(|&(kind, width)| pending(offset, kind, width, asked.tooltips)),
                );
            }
        }
        found.append(&mut hints);
        is_early = true;
    }
    found.sort_by_key(|hint| hint.offset);
    Ok(is_early.then_some(found))
}

fn is_long(view: &View<'_>, index: usize) -> bool {
    view.module.items()[index].statements().len() > SHORT
}

impl View<'_> {
    /// True if all data for the hints of a function is computed.
    fn is_ready(&self, index: usize) -> bool {
        let Some(cost) = self.known_cost(index) else { return false };
        cost.is_none_or(|hidden| hidden.chunk().is_none_or(|(chunk, _)| is_ready(&hidden.sass, chunk)))
    }

    /// Saves a long function whose figures are computed. Early hints can show the figures after an
    /// edit.
    pub(super) fn remember(&self, index: usize) {
        if is_long(self, index) && self.is_ready(index) {
            let item = &self.module.items()[index];
            let name = item.name().unwrap_or_default();
            self.lineage.keep(name, item.hash(), self.text, index);
        }
    }
}
