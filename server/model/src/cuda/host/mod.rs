//! Launches in host code: individual launches, sequences and loops.

pub(crate) mod fusion;
pub(crate) mod host_arrays;
pub(crate) mod launch_loop;
pub(crate) mod launches;
pub(crate) mod sizes;
