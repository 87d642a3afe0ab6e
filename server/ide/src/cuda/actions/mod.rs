//! Code actions for CUDA. An action is offered when the cursor is on the code that it changes.

mod constant;
mod fast_math;
mod gain;
mod hoist;
mod launch_bounds;
mod multiple;
mod pad;
mod place;
mod pointer;
mod read_only;
mod restrict;
mod swap;
mod unroll;
mod vectorise;

pub(crate) use launch_bounds::more_blocks;

use super::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::{AdviceAction, Fix};
use place::EditSite;
use std::ops::Range;

/// Actions that need no simulated launch.
const OF_TEXT: &[fn(&EditSite<'_>) -> Option<AdviceAction>] = &[
    restrict::action,
    launch_bounds::action,
    unroll::action,
    read_only::action,
    fast_math::action,
    constant::action,
];

/// Returns the code actions at an offset.
pub(crate) fn actions(view: &CudaView<'_>, offset: usize) -> Cancellable<Vec<AdviceAction>> {
    view.cancel.ending(|| {
        let Some(place) = EditSite::at(view, offset) else {
            return Ok(constant::of_unit(view, offset).into_iter().collect());
        };
        let mut all: Vec<AdviceAction> = vectorise::action(&place)?.into_iter().collect();
        all.extend(OF_TEXT.iter().filter_map(|action| action(&place)));
        Ok(all)
    })
}

/// Returns the fix for a finding of a rule at a range. `None` if the rule has no such fix.
pub(super) fn fixes(view: &CudaView<'_>, rule: &str, range: &Range<usize>) -> Cancellable<Option<Fix>> {
    let Some(place) = EditSite::at(view, range.start) else { return Ok(None) };
    match rule {
        "bank-conflict" => pad::fix(&place, range),
        "uncoalesced-access" => swap::fix(&place, range),
        "invariant-load" => Ok(hoist::fix(&place, range)),
        _ => Ok(None),
    }
}
