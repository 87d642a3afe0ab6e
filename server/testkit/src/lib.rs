//! Marked fixtures: texts whose comments give the engine's answers about them.
//!
//! A mark is on a line below the one to which it refers, and stays in the text that the engine sees:
//!
//! ```text
//!         STG.E [R4.64], R2 ;
//! //      ^^^ hint[latency]: ~25c
//! //          : a further line of the same answer
//! ```
//!
//! [`check_folder`] compares every mark of a folder with every answer. A mark without its answer fails, and so does an
//! answer without its mark. With `WARPLENS_BLESS=1` the marks are rewritten in place.

mod answer;
mod clang;
mod compare;
mod fixture;
mod folder;
mod left_out;
mod mark;
mod measured;
mod nvcc;

pub use answer::{Answer, MarkedPart};
pub use clang::clang;
pub use fixture::Fixture;
pub use folder::check_folder;
pub use left_out::left_out;
pub use measured::measured;
pub use nvcc::nvcc;
