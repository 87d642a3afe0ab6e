//! Costs of CUDA C++ code, estimated from the source without compiling it.
//!
//! The input is a translation unit parsed by `syntax::cuda` and a launch: a grid, a block, and the known
//! arguments. [`run()`] returns a [`Run`]: the requests of each access in the source with their sectors or
//! wavefronts, and the barriers, branches, divisions and constants that rules of the advisor query.
//! [`launches`] finds the launches in host code. The other functions analyse the source without running a
//! kernel: they find tiles, loops with independent iterations, kernels that could be fused, and launches in a
//! loop.
//!
//! The folders, from the lowest to the highest layer. A test checks that each folder uses only the folders
//! listed before it:
//! - `source`: names, types and built-ins of a translation unit, launches, and syntactic properties of loops.
//! - `values`: one number per lane. The number is known, known up to a symbol (an unknown term that all lanes
//!   share), or unknown. Memory contents are always unknown.
//! - `state`: lanes, frames, symbols and shared memory of a running warp.
//! - `notes`: records of the events that warps execute, and their result, a [`Run`]. Accesses are counted by the
//!   rules for SASS requests ([`crate::requests`]).
//! - `interpret`: the abstract interpreter. Expressions, statements and calls evaluate each other. Built-in
//!   functions, groups, fragments and memory operations take values and return values. If the variables of a
//!   loop grow by the same step in each iteration (linear induction variables), only a few iterations are run
//!   and the others are skipped.
//! - `affine`: subscripts as linear forms of thread, block and loop indices.
//! - `host`: launches in host code: individual launches, sequences and loops; also explicit instantiations.
//!
//! `interpret` and `affine` answer different questions. The interpreter evaluates shifts, masks, swizzles and
//! macros arithmetically and therefore counts the memory requests of one launch, but only for the blocks that
//! were run. Linear forms hold for all threads and all trips at once, so they show which elements two
//! threads, two trips or two kernels share, but only if the subscripts are linear.

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
pub use host::instances::{completed, instances};
pub use host::launch_loop::{LaunchLoop, launch_loop};
pub use host::launches::launches;
pub use notes::*;
pub use run::run;
pub use source::environment::{Environment, Names};
pub use source::launch::{Argument, Configuration, FoundLaunch, LaunchCluster, TemplateValue};
pub use source::source_span::SourceSpan;
pub use source::types::{IntType, RecordType, Type};
pub use values::strided::StridedRequest;
