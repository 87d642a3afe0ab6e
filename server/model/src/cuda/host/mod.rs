//! Launches that host code makes: alone, one after the other, and in loops.

pub(crate) mod fusion;
pub(crate) mod host_arrays;
pub(crate) mod launch_loop;
pub(crate) mod launches;
pub(crate) mod sizes;
