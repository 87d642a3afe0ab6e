//! Multi-channel convolution as the product of two matrices. Output pixels are rows, filters are columns, and
//! the sum runs over channels and filter positions. The rows are never stored: an indirection table locates
//! the input element of each step of the sum.

mod shape;
mod tiling;

mod table;

mod pixels;

mod kernel;

mod input;

mod work;

mod patches;

mod legal;

mod problem;

pub use kernel::{Argument, arguments, kernel};
pub use patches::Patches;
pub use shape::{Conv, ShapeError};
pub use table::table;
pub use tiling::{SPACE, Tiling};
