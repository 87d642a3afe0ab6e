//! What the text of a unit declares: its names, its types, its launches, and what follows from the syntax of a loop alone.

pub(crate) mod builtins;
pub(crate) mod environment;
pub(crate) mod launch;
pub(crate) mod syntactic;
pub(crate) mod types;
