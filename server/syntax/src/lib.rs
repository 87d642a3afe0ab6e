//! Parsers from GPU assembly text to lossless trees, and readers for the binaries that contain the code.
//!
//! Any text is accepted. Unreadable text becomes a [`sass::SyntaxError`] on its line or a
//! [`ptx::SyntaxError`] in its item, and does not affect other lines or items. The crate implements the
//! syntax of instructions and of control codes, but has no GPU data and no opcode table.

pub mod cubin;
pub mod cuda;
mod depth;
pub mod ptx;
pub mod sass;
mod source_path;
pub mod stop;
mod taken;
pub mod triton;

pub use depth::{DEEPEST_TREE, STACK_BYTES, with_stack};
pub use source_path::source_path;
