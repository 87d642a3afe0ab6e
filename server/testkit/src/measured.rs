//! Programs that were measured on a GPU.

use crate::left_out;
use std::path::{Path, PathBuf};

/// Returns the folders with the measured `blocks` or `kernels`: the subset in this repository, then the full set in the
/// shared folder if available.
///
/// # Panics
///
/// If the subset is missing.
pub fn measured(kind: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = root.join("tests/measured/h100").join(kind);
    assert!(own.is_dir(), "{} is missing", own.display());
    let whole = root.join("../shared/hardware/h100").join(kind);
    if whole.is_dir() {
        return vec![own, whole];
    }
    left_out(&format!("../shared/hardware/h100/{kind} is missing, so only the subset is compared"));
    vec![own]
}
