//! The parameters of a kernel: their types from its name, their values, and their offsets in constant bank 0.

pub(crate) mod layout;
pub(crate) mod types;
