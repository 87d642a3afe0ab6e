//! GPU assembly text to lossless trees, and what binaries say of the code in them.
//!
//! Accepts any text: what cannot be read becomes a [`sass::SyntaxError`] on its line or a [`ptx::SyntaxError`] in its
//! item, and spoils nothing else. Knows the shapes of the text and of the control words in it, but no GPU and no opcode table.

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
