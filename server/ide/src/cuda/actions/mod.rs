//! Code actions: changes of the text that are offered where the cursor is on what they change.

mod gain;
mod pad;
mod place;
mod pointer;
mod swap;

use super::view::CudaView;
use crate::Fix;
use crate::engine::cancel::Answer;
use place::Place;
use std::ops::Range;

/// The changes that mend a finding of a rule at a place.
pub(super) fn fixes(view: &CudaView<'_>, rule: &str, range: &Range<usize>) -> Answer<Option<Fix>> {
    let Some(place) = Place::at(view, range.start) else { return Ok(None) };
    match rule {
        "bank-conflict" => pad::fix(&place, range),
        "uncoalesced-access" => swap::fix(&place, range),
        _ => Ok(None),
    }
}
