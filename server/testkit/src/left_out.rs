//! Reports the parts that a test skipped.

use std::fs::OpenOptions;
use std::io::Write;

/// Reports that a test skipped a part, and the reason: `left out: ../shared/corpus is missing`.
///
/// Writes directly to standard error, since the output of `println!` in a passing test is not shown. Also appends to
/// the file that `WARPLENS_LEFT_OUT` names, if any; `cargo xtask ci` counts its lines.
pub fn left_out(what: &str) {
    let line = format!("left out: {what}\n");
    // Errors of these writes cannot be reported anywhere else.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("WARPLENS_LEFT_OUT")
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = file.write_all(line.as_bytes());
    }
}
