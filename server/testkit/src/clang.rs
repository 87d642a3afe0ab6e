//! The clang that tests run as a compiler of CUDA.

use crate::left_out;
use std::path::PathBuf;

/// The clang that `WARPLENS_CLANG` names, as `cargo xtask ci` does; `None` where it names none, after a line that says what
/// is left out. The program is taken to be there, so that a test fails without it.
///
/// A clang on PATH is not taken: one that is older than the toolkit may not compile its headers.
pub fn clang(left_out_without: &str) -> Option<PathBuf> {
    let named = std::env::var_os("WARPLENS_CLANG").map(PathBuf::from);
    if named.is_none() {
        left_out(&format!("WARPLENS_CLANG names no clang: {left_out_without}"));
    }
    named
}
