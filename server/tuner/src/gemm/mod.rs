//! Matrix multiplication: `C = op(A) op(B)`, column-major as in BLAS.

mod problem;
mod tiling;

mod estimate;
mod kernel;
mod legal;

mod search;

pub use estimate::{Estimate, Limit};
pub use kernel::{Kind, kernel};
pub use problem::Gemm;
pub use search::{Ranked, Ranking, Search, SearchError};
pub use tiling::{SPACE, Tiling};
