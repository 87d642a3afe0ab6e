//! Linear forms of a kernel's subscripts, and what they say of its tiles and loops without a run.

pub(crate) mod guard;
pub(crate) mod numbers;
pub(crate) mod passes;
pub(crate) mod reading;
pub(crate) mod tiles;
pub(crate) mod touched;
