//! Runs the integer code of a launch's warps to find which instructions execute, with which lanes and addresses.
//!
//! A register holds a value in each lane, or is unknown. Thread and block indices are known, parameters have
//! the values of the launch, and each pointer is the placeholder address of its own array. Values loaded from
//! memory are unknown. Branches split a warp's lanes and barriers join them, as in the hardware. If the branch
//! of a loop depends on data, the launch's `trips` give the trip count. For other branches, a rule assumes the
//! likely side and reports the assumption.

mod across;
mod asynchronous;
mod code;
mod compute;
mod coordinates;
mod counted;
mod counts;
mod decode;
mod decode_float;
mod divergence;
mod edges;
mod file;
mod floats;
mod groups;
mod guess;
mod held;
mod issued;
mod kind;
mod lanes;
mod needed_slots;
mod one_lane;
mod packed;
pub(crate) mod sample;
mod spread;
mod stored;
mod sums;
mod survey;
#[cfg(test)]
mod tests;
mod tickets;
mod traffic;
mod warp;
mod wide;

pub use asynchronous::{Arrival, Asynchronous, Direction, Transfer, TransferMemory};
pub use code::Code;
pub use guess::{MAX_UNSTATED_TRIPS, Scenario, UNSTATED_TRIPS};
pub use issued::{AccessState, IdleRun, IssuedInstruction};
pub(crate) use sample::{place_of, sampled};
pub(crate) use stored::SharedWords;
pub(crate) use survey::{AtomicType, Usage};
pub use survey::{CostliestRequest, Counts, MemoryUse, SampleLimits, Survey, shared_bytes};
pub use traffic::MinTraffic;
pub use warp::Warp;
