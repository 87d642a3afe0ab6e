//! The performance model of Zhou et al., "A Performance Analysis Framework for Exploiting GPU Microarchitectural
//! Capability" (ICS'17): Algorithms 1 to 3 and Equations 1 to 21.
//!
//! Each equation is a separate function. [`code_times`] applies the equations that need no launch to a
//! program, and [`kernel_times`] applies the other equations. `README.md` of this crate states the
//! interpretation of ambiguous passages of the paper.

pub mod bottleneck;
mod causes;
mod code;
pub mod computations;
mod cost;
mod counts;
pub mod dag;
pub mod dependence;
pub mod efficiency;
pub mod interleave;
mod kernel;
pub mod occupancy;
pub mod schedulers;
#[cfg(test)]
mod tests;
pub mod units;
pub mod waves;

pub use causes::{Cause, Causes, causes};
pub use code::{CodeTimes, code_times, latency_note};
pub use dependence::MissRatio;
pub use efficiency::Efficiency;
pub use kernel::kernel_times;

use crate::{Launch, ModelName, Program, Timing};
use machine::Gpu;
use std::sync::Arc;

/// Returns the times of a program's launch by this model.
///
/// `program` must have been decoded for the architecture of `gpu`.
pub fn time(program: &Program, gpu: &Gpu, launch: &Launch, miss_ratio: MissRatio) -> Timing {
    let code = Arc::new(code_times(program, miss_ratio));
    let kernel = kernel_times(program, &code, gpu, launch);
    Timing { model: ModelName::Paper, code, kernel }
}
