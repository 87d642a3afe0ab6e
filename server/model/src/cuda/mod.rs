//! Costs of CUDA C++ by its text alone: warps of a launch run by an abstract interpreter of statements and expressions.
//!
//! The interpreter works lane by lane. A whole number is known for each lane, or known but for a part that all lanes share
//! (a symbol), or unknown, as all is that memory holds. Loops whose variables grow by the same steps each time are run for
//! a few trips and then stepped over (linear induction variables). What each access of the text asks memory for is counted by
//! the rules that requests of SASS are counted by ([`crate::requests`]).

mod builtins;
mod calls;
mod convert;
mod counting;
mod dividing;
mod divisions;
mod environment;
mod evaluate;
mod execute;
mod fragments;
mod frame;
mod fusion;
mod groups;
mod guard;
mod host;
mod host_arrays;
mod interpreter;
mod invariants;
mod lanes;
mod launch;
mod launch_loop;
mod loops;
mod lvalue;
mod memory;
mod methods;
mod numbers;
mod overloads;
mod passes;
mod per_lane;
mod places;
mod reading;
mod run;
mod strided;
mod symbols;
mod syntactic;
mod tally;
#[cfg(test)]
mod tests;
mod tiles;
mod touched;
mod types;
mod uses;
mod value;
mod watch;

pub use divisions::Division;
pub use environment::{Environment, Names};
pub use fusion::{Fusible, fusible};
pub use guard::guards_its_index;
pub use host::launches;
pub use launch::{Argument, Configuration, FoundLaunch, TemplateValue};
pub use launch_loop::{LaunchLoop, launch_loop};
pub use passes::FreeLoop;
pub use reading::{free_loop, tiles};
pub use run::{Run, run};
pub use strided::StridedRequest;
pub use tally::{Barrier, Branch};
pub use tiles::{Axis, Tiles};
pub use types::{IntType, RecordType, Type};
pub use uses::{AccessKind, Site, SiteUse};
pub use watch::InvariantLoad;
