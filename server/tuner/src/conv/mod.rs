//! Multi-channel convolution as the product of two matrices: pixels of the output are rows, filters are columns, and the sum runs over
//! channels and the places of the filter. The rows are never stored: a table gives the place where each step of the sum reads the input.

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
