//! What is said of CUDA C++: costs that its text alone shows.

pub(crate) mod actions;
pub(crate) mod allowed;
pub(crate) mod asm;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod hover;
pub(crate) mod kernels;
pub(crate) mod lenses;
pub(crate) mod occupancy;
pub(crate) mod report;
pub(crate) mod view;
