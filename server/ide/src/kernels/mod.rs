//! The cost of compiled kernels, for queries in every language. Each feature has one file or folder.

pub(crate) mod access;
pub(crate) mod advice;
pub mod cycles;
pub(crate) mod early;
pub(crate) mod findings;
pub(crate) mod heat;
pub(crate) mod hints;
pub(crate) mod hover;
mod integers;
pub(crate) mod launch;
pub(crate) mod launch_cycles;
pub(crate) mod lenses;
pub(crate) mod loop_lenses;
pub(crate) mod loops;
pub(crate) mod occupancy_curves;
pub(crate) mod places;
pub mod predict;
mod prediction;
pub(crate) mod prepare;
mod region_recorder;
pub mod report;
mod reports;
pub(crate) mod search;
pub(crate) mod selection;
pub(crate) mod source_links;
pub(crate) mod source_places;
pub(crate) mod summary;
