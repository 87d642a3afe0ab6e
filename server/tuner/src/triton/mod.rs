//! Matrix products that Triton compiles: the time of a configuration of block sizes, warps and stages by the static
//! model alone. Nothing is compiled and nothing is run.

mod estimate;
mod needs;
mod product;
#[cfg(test)]
mod tests;

pub use estimate::{Estimate, estimate};
pub use needs::{Needs, NotRun};
pub use product::{FloatProducts, NoRate, Product, Tile, Unit};
