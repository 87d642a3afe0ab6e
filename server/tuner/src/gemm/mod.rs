//! Matrix multiplication: `C = op(A) op(B)`, column-major as in BLAS.

mod shape;
mod tiling;

mod kernel;
mod legal;
mod work;

mod problem;

pub use kernel::{Kind, kernel};
pub use shape::Gemm;
pub use tiling::{SPACE, Tiling};
