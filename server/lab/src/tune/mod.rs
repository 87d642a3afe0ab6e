//! Measurement and learning for input-aware tuning (the ISAAC paper): data files of measured kernels, and
//! training of the network that `tuner` uses for predictions.
//!
//! Files are passed as bytes. Their paths are used only in messages.

mod header;
mod recording;
mod samples;
mod static_figures;

#[cfg(feature = "training")]
mod learning;

mod collect;

mod compare;
mod tasks;

pub use collect::{Collection, CollectionProgress, Collector, Family, Row, VerificationResult};
pub use compare::{CompareError, Comparison, ProblemResult};
pub use header::Header;
#[cfg(feature = "training")]
pub use learning::{
    HeldOut, NetworkRow, Progress, Report, SamplesRow, TableOptions, TableRow, TrainError, TrainOptions,
    TrainedNetwork, tables, train,
};
pub use recording::{Recording, ResumedFile};
pub use samples::{Defect, ExpectedHeader, Samples, SamplesError};
pub use tasks::Task;

// Re-exports of networks and the static model, for crates that depend on this crate.
pub use machine::{Gpu, Machine};
pub use tuner::network::{Network, NetworkMetadata};
pub use tuner::{Conv, Element, Gemm, Launch, Problem, ProblemKind, Target, conv, gemm};
pub use tuner::{Estimate, RankedTiling, Ranking, Search, SearchError};
