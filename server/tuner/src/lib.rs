//! Input-aware tuning (Tillet and Cox, SC'17): kernels for a shape, the configurations that are legal on a
//! GPU, and a learned function from shape and configuration to throughput.
//!
//! The crate is pure. Code that needs a GPU, a clock or a file is in `lab`.

mod element;
mod problem;
mod problem_kind;

pub mod features;
pub mod network;

mod kernel;

mod legal;
mod space;

mod estimate;
mod search;

pub mod conv;
pub mod gemm;
pub mod triton;

pub use conv::Conv;
pub use element::Element;
pub use estimate::{Estimate, Limit};
pub use gemm::{Gemm, Tiling};
pub use kernel::{Launch, Target};
pub use problem::Problem;
pub use problem_kind::ProblemKind;
pub use search::{RankedTiling, Ranking, Search, SearchError};
pub use space::{Categorical, Parameter, Space, acceptance};
