//! Estimated costs of PTX: each function is lowered to the SASS that ptxas would be expected to make of it, which a
//! hidden analysis answers for like any listing. Its answers are shown at the statements of PTX that the SASS is for, all
//! marked as estimates.

mod early;
mod findings;
mod heat;
mod hidden;
mod hints;
mod hover;
mod lenses;
mod listing;
mod prepare;
mod selection;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use early::early_hints;
pub(crate) use findings::findings;
pub(crate) use heat::heat;
pub(crate) use hints::hints;
pub(crate) use hover::{cost, of_kernel};
pub(crate) use lenses::{lens, lenses, places, simulate};
pub(crate) use listing::lowered;
pub(crate) use prepare::prepare;
pub(crate) use selection::selection_cycles;
pub(crate) use summary::asked;
