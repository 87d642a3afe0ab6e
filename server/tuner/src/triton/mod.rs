//! Predicts the time of a Triton matrix product from its configuration (block sizes, warps and stages) with
//! the static model. Nothing is compiled or run.

mod estimate;
mod needs;
mod product;
#[cfg(test)]
mod tests;

pub use estimate::{Estimate, estimate};
pub use needs::{CannotRun, Needs};
pub use product::{FloatProducts, NoRate, Product, Tile, Unit};
