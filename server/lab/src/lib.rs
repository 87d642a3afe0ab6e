//! Measurement of GPUs: the measuring programs, and `warplens calibrate`, which runs them.
//!
//! A [`Suite`] holds the data of one architecture: programs as text, the encodings of their instructions, and
//! formulas that compute machine figures from measured cycles. [`calibrate()`] builds the programs with the user's
//! nvcc, runs them and writes an overlay that `machine` loads. Everything except running the programs is pure.

mod suite;

mod encode;
mod program;

mod values;

mod listings;

mod calibrate;
mod chip;
mod cubin;
mod device;
mod measured;
mod overlay;

pub mod tune;

pub use calibrate::{Calibration, KeptPrograms, calibrate};
pub use device::Device;
pub use listings::{DistanceTable, Distances, WaitDependentPairs};
pub use measured::Error;
pub use suite::Suite;
pub use values::{Figure, OmittedFigure};

#[cfg(test)]
mod tests;
