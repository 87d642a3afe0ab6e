//! Reports what a test left out.

use std::fs::OpenOptions;
use std::io::Write;

/// Reports that a test left something out, and why: `left out: ../shared/corpus is missing`.
///
/// Goes straight to standard error, as what `println!` prints in a test that passes is never shown, and to the file that
/// `WARPLENS_LEFT_OUT` names: `cargo xtask ci` counts its lines.
pub fn left_out(what: &str) {
    let line = format!("left out: {what}\n");
    // There is no other channel for an error of these.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("WARPLENS_LEFT_OUT")
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = file.write_all(line.as_bytes());
    }
}
