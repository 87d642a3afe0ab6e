//! Says what a test left out, where everybody sees it.

use std::io::Write;

/// Prints that a test left something out, and why: `left out: ../shared/corpus is not here`.
///
/// Goes straight to standard error: what `println!` prints in a test that passes is never shown.
pub fn left_out(what: &str) {
    // A closed standard error leaves nobody to tell.
    let _ = std::io::stderr().write_all(format!("left out: {what}\n").as_bytes());
}
