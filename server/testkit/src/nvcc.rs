//! The nvcc that tests run.

use crate::left_out;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The nvcc in `CUDA_HOME`, which `cargo xtask ci` sets, otherwise the nvcc on PATH. If there is neither, reports the
/// skipped part (such as `actions on CUDA are not compiled`) and returns `None`.
///
/// The path is absolute or contains a folder, since options that name a program do not accept a bare name. If
/// `CUDA_HOME` is set, does not check that the program exists, so that a test fails if it is missing.
pub fn nvcc(left_out_without: &str) -> Option<PathBuf> {
    if let Some(home) = env::var_os("CUDA_HOME") {
        return Some(PathBuf::from(home).join("bin/nvcc"));
    }
    let found = on_path(&env::var_os("PATH").unwrap_or_default());
    if found.is_none() {
        left_out(&format!("nvcc is neither in CUDA_HOME nor on PATH: {left_out_without}"));
    }
    found
}

/// The first nvcc in the folders of a search path.
fn on_path(path: &OsStr) -> Option<PathBuf> {
    let program = format!("nvcc{}", env::consts::EXE_SUFFIX);
    env::split_paths(path).map(|folder| folder.join(&program)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_on_path_is_named_by_its_whole_path() {
        let folder = env::temp_dir().join(format!("testkit-nvcc-{}", std::process::id()));
        let program = folder.join(format!("nvcc{}", env::consts::EXE_SUFFIX));
        std::fs::create_dir_all(&folder).expect("a private folder");
        std::fs::write(&program, "").expect("a file in it");
        let path = env::join_paths([env::temp_dir().join("absent"), folder.clone()]).expect("plain names");
        let (found, other) = (on_path(&path), on_path(OsStr::new("")));
        std::fs::remove_dir_all(&folder).expect("only this test uses it");
        assert_eq!((found, other), (Some(program), None));
    }
}
