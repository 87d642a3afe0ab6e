//! The clang that the tests use as a CUDA compiler.

use crate::left_out;
use std::path::PathBuf;

/// The clang that the environment variable `WARPLENS_CLANG` names; `cargo xtask ci` sets the variable. If it is not
/// set, reports the skipped part `left_out_without` and returns `None`. Does not check that the program exists, so that
/// a test fails if it is missing.
///
/// A clang on PATH is not used: a clang that is older than the toolkit may not compile the toolkit's headers.
pub fn clang(left_out_without: &str) -> Option<PathBuf> {
    let named = std::env::var_os("WARPLENS_CLANG").map(PathBuf::from);
    if named.is_none() {
        left_out(&format!("WARPLENS_CLANG is not set: {left_out_without}"));
    }
    named
}
