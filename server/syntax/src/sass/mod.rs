//! SASS in every dialect: listings of NVIDIA's tools (cuobjdump, nvdisasm) and sources of assemblers (maxas,
//! KeplerAs, TuringAs, CuAssembler).
//!
//! [`Listing`] is the entry point: parse a text, edit it, and walk its [`Chunk`]s (one per kernel),
//! [`Line`]s, [`Token`]s and [`Instruction`]s.

mod assemble;
mod build;
mod chunk;
mod control;
mod dialect;
mod edit;
mod lex;
mod line;
mod listing;
mod mapping;
mod notation;
mod pieces;
pub mod rewrite;
mod sm;
mod token;

pub use chunk::Chunk;
pub use control::{Control, KeplerFlags};
pub use dialect::Dialect;
pub use line::{Instruction, Line, LineKind, SyntaxError, TokenRange};
pub use listing::{Listing, Start};
pub use mapping::{MappedRegisters, RegisterMapping};
pub use notation::Notation;
pub use sm::{Encoding, SmVersion};
pub use token::{Token, TokenKind};
