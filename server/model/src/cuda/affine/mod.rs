//! Affine forms of subscripts, and properties of tiles, loops and launches that they prove without a run.

pub(crate) mod guard;
pub(crate) mod numbers;
pub(crate) mod passes;
pub(crate) mod quantity;
pub(crate) mod scope;
pub(crate) mod tiles;
pub(crate) mod touched;
