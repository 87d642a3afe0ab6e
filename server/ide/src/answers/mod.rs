//! The questions of an editor, and the answers of each language.

mod cuda;
mod ptx;
pub(crate) mod questions;
mod sass;
pub(crate) mod with_code;
pub(crate) mod with_profile;
