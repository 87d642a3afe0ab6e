//! Code that a compiler made of a source, shown at the source's lines: CUDA, PTX, or any language that a cubin names.

mod code;
pub(crate) mod findings;
pub(crate) mod hints;
pub(crate) mod lenses;
mod moves;
pub(crate) mod view;

pub use code::{Compiled, CompiledFrom};
pub(crate) use moves::LineMoves;
