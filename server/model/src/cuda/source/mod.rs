//! Names, types and launches that a translation unit declares, and properties of loops that follow from the
//! syntax.

pub(crate) mod builtins;
pub(crate) mod driver_types;
pub(crate) mod environment;
pub(crate) mod launch;
pub(crate) mod source_span;
pub(crate) mod syntactic;
pub(crate) mod types;
