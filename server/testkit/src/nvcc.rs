//! The compiler that tests run.

use crate::left_out;
use std::path::PathBuf;
use std::process::Command;

/// The nvcc of `CUDA_HOME`, which `cargo xtask ci` names, else the one on PATH; `None` where neither is there, after a line
/// that says what is left out: `actions on CUDA are not compiled`.
///
/// Where `CUDA_HOME` is set the program is taken to be there, so that a test fails without it.
pub fn nvcc(left_out_without: &str) -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("CUDA_HOME") {
        return Some(PathBuf::from(home).join("bin/nvcc"));
    }
    if Command::new("nvcc").arg("--version").output().is_ok() {
        return Some("nvcc".into());
    }
    left_out(&format!("nvcc is neither in CUDA_HOME nor on PATH: {left_out_without}"));
    None
}
