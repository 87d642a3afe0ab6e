//! Launches in host code: individual launches, sequences and loops; also explicit instantiations.

pub(crate) mod fusion;
pub(crate) mod host_arrays;
pub(crate) mod instances;
pub(crate) mod launch_loop;
pub(crate) mod launches;
pub(crate) mod sizes;
