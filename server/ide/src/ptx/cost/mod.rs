//! Estimated costs of PTX. Each function is lowered to the SASS that ptxas is expected to generate. The
//! hidden SASS listing is analysed like any other listing. The results appear at the PTX statements,
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
