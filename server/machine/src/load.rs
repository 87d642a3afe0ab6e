//! The loader for built-in data, user overlays and calibration output.

mod aliases;
mod builtin;
mod data;
mod file;
mod isa;
mod machine;
mod resolve;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use aliases::Alias;
pub use machine::Machine;
pub(crate) use table::{distances, rows};
pub use text::DataError;
pub(crate) use text::{Text, data_text};
