//! Matrix multiplication: `C = op(A) op(B)`, column-major as in BLAS.

mod problem;
mod tiling;

pub use problem::Gemm;
pub use tiling::Tiling;
