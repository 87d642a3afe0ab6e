//! A clang that compiles CUDA with the headers of a toolkit as new as ours.

use super::debian::Tree;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;

/// A suite of Debian that has [`CLANG`].
const SUITE: &str = "forky";

/// The first clang that accepts the headers of CUDA 13.
const CLANG: &str = "clang-22";

/// The machine's clang, otherwise a clang under `.tools`.
pub(crate) fn clang(repo: &Repo) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(own) =
        std::env::split_paths(&path).map(|folder| folder.join(CLANG)).find(|path| path.is_file())
    {
        return Ok(own);
    }
    let tree = Tree::install(&repo.tools().join(CLANG), SUITE, &[CLANG, "patchelf"])?;
    let program = tree.program(CLANG)?;
    // A library's own search path takes precedence over the program's search path, and does not lead to the
    // tree's other libraries.
    for library in ["libLLVM.so.22.1", "libclang-cpp.so.22.1"] {
        tree.forget_path_of(library)?;
    }
    Ok(program)
}
