//! What input-aware tuning measures and learns (the ISAAC paper): data files of measured kernels, and the training of the
//! network that `tuner` predicts with.
//!
//! Files are bytes here, and their paths are names for messages.

mod header;
mod recording;
mod samples;
mod static_figures;

mod dataset;
mod gradients;
mod product;
mod training;

mod tables;

mod collect;

pub use collect::{Collected, Collection, Collector, Row, Verified};
pub use dataset::HeldOut;
pub use header::Header;
pub use recording::{Recording, Resumed};
pub use samples::{Defect, Expected, Samples, SamplesError};
pub use tables::{TableOptions, TableRow, Tables, tables};
pub use training::{Progress, Report, TrainError, TrainOptions, Trained, train};

// What is asked of a network and of the static model, for programs that build on this crate.
pub use machine::{Gpu, Machine};
pub use tuner::network::{About, Network};
pub use tuner::{Conv, Element, Gemm, Launch, Problem, ProblemKind, Target, conv, gemm};
pub use tuner::{Ranked, Ranking, Search};

#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;
