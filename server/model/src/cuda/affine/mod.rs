//! Affine forms of subscripts, and the properties of tiles, loops and launches that these forms prove without
//! running a kernel.

pub(crate) mod guard;
pub(crate) mod kernel_accesses;
pub(crate) mod numbers;
pub(crate) mod passes;
pub(crate) mod quantity;
pub(crate) mod scope;
pub(crate) mod tiles;
