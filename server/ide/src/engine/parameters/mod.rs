//! Kernel parameters: their types from the kernel's name, their values, and their offsets in constant bank 0.

pub(crate) mod layout;
pub(crate) mod types;
