//! Costs of CUDA C++ by its text alone: warps of a launch run by an abstract interpreter of statements and expressions.
//!
//! The interpreter works lane by lane. A whole number is known for each lane, or known but for a part that all lanes share
//! (a symbol), or unknown, as all is that memory holds. Loops whose variables grow by the same steps each time are run for
//! a few trips and then stepped over (linear induction variables). What each access of the text asks memory for is counted by
//! the rules that requests of SASS are counted by ([`crate::requests`]).

mod affine;
mod host;
mod interpret;
mod notes;
mod run;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use affine::guard::guards_its_index;
pub use affine::passes::{FreeLoop, free_loop};
pub use affine::tiles::{Axis, Tiles, tiles};
pub use host::fusion::{Fusible, fusible};
pub use host::launch_loop::{LaunchLoop, launch_loop};
pub use host::launches::launches;
pub use notes::divisions::Division;
pub use notes::tally::{Barrier, Branch};
pub use notes::uses::{AccessKind, Site, SiteUse};
pub use notes::watch::InvariantLoad;
pub use run::{Run, run};
pub use source::environment::{Environment, Names};
pub use source::launch::{Argument, Configuration, FoundLaunch, TemplateValue};
pub use source::types::{IntType, RecordType, Type};
pub use values::strided::StridedRequest;
