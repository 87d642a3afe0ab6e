//! The parameters of a kernel: their types by its name, their values, and their places in constant bank 0.

pub(crate) mod layout;
pub(crate) mod types;
