//! The questions of an editor, and the answers of each language.

mod ptx;
pub(crate) mod questions;
mod sass;
