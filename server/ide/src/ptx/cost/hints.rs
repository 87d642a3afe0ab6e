//! Inlay hints at PTX: latency and issue cycle of the first instruction of SASS that a statement becomes.

use super::{ESTIMATED, statement_range};
use crate::kernel::Answer;
use crate::ptx::View;
use crate::{Hint, HintKind};
use rustc_hash::FxHashSet;
use std::ops::Range;

pub(crate) fn hints(view: &View<'_>, range: &Range<usize>) -> Answer<Vec<Hint>> {
    let kinds = view.analysis.context.config.hints;
    let mut found = Vec::new();
    if !(kinds.latency || kinds.issue_cycle) {
        return Ok(found);
    }
    for item in view.functions_in(range) {
        view.analysis.cancel.check()?;
        let Some(hidden) = view.cost(item) else { continue };
        let mut seen = FxHashSet::default();
        for hint in hidden.analysis.hints(0..hidden.analysis.listing().len())? {
            if !matches!(hint.kind, HintKind::Latency | HintKind::IssueCycle) {
                continue;
            }
            let statement = hidden.instruction_at(hint.offset).and_then(|inst| hidden.statement(inst));
            let Some(statement) = statement else { continue };
            let Some(place) = statement_range(view, item, statement) else { continue };
            let is_first = seen.insert((statement, hint.kind));
            if is_first && (range.contains(&place.start) || place.start == range.end) {
                let tooltip = format!("*{ESTIMATED}*\n\n{}", hint.tooltip);
                found.push(Hint { offset: place.start, tooltip, ..hint });
            }
        }
    }
    // The kinds of one place stay in their order.
    found.sort_by_key(|hint| hint.offset);
    Ok(found)
}
