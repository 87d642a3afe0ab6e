//! What needs a GPU: the programs that measure one, and `warplens calibrate`, which runs them.
//!
//! A [`Suite`] is what one architecture has: programs as text, the encodings of their instructions, and formulas from their
//! cycles to figures of the machine. [`calibrate()`] builds them with the user's nvcc, runs them and writes an overlay that
//! `machine` loads. Everything but the running is pure.

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

pub use calibrate::{Calibration, Kept, calibrate};
pub use device::Device;
pub use listings::{DistanceTable, Distances, LeaningPairs};
pub use measured::Error;
pub use suite::Suite;
pub use values::{Figure, LeftOut};

#[cfg(test)]
mod tests;
