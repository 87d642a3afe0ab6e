//! What is noted of warps while they run: accesses, branches, barriers, divisions and loads of loops.

pub(crate) mod divisions;
pub(crate) mod tally;
pub(crate) mod uses;
pub(crate) mod watch;
