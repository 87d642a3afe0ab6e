//! GPU assembly text to lossless line trees, and what binaries say of the code in them.
//!
//! Accepts any text: what cannot be read becomes a [`sass::SyntaxError`] on its line and spoils nothing else.
//! Knows the shapes of the text and of the control words in it, but no GPU and no opcode table.

pub mod cubin;
pub mod sass;
