//! Costs of CUDA C++, derived from the source alone, without compiling it.
//!
//! The input is a unit parsed by `syntax::cuda` and a launch: a grid, a block, and the known arguments. [`run()`]
//! returns a [`Run`]: the requests of each access in the source with their sectors or wavefronts, and the barriers,
//! branches, divisions and constants that rules of the advisor query. [`launches`] finds the launches in host code. The
//! other functions analyse the source without a run: tiles, loops with independent iterations, kernels that could be
//! fused, launches in a loop.
//!
//! The folders, from the lowest to the highest. Each uses only folders listed before it (a test checks that):
//! - `source`: names, types and built-ins of a unit, launches, and properties of its syntax.
//! - `values`: a number for each lane, which is known, known up to a term that all lanes share (a symbol), or unknown.
//!   Memory contents are always unknown.
//! - `state`: a running warp: its lanes, frames, symbols and shared memory.
//! - `notes`: records of what warps do. Accesses are counted by the rules for SASS requests ([`crate::requests`]).
//! - `interpret`: the abstract interpreter. Expressions, statements and calls evaluate each other; built-in functions,
//!   groups, fragments and memory operations use values and return values. A loop whose variables grow by the same step
//!   in each trip is run for a few trips and then skipped (linear induction variables).
//! - `affine`: subscripts as linear forms of thread, block and loop indices.
//! - `host`: launches in host code, individually and in sequence.
//!
//! `interpret` and `affine` answer different questions. The interpreter evaluates shifts, masks, swizzles and macros by arithmetic and so
//! counts the memory requests of one launch, but only for the blocks that were run. Linear forms hold for all threads
//! and all trips at once, so they show which elements two threads, two trips or two kernels share, but only if the
//! subscripts are linear.

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
pub use source::place::Place;
pub use source::types::{IntType, RecordType, Type};
pub use values::strided::StridedRequest;
