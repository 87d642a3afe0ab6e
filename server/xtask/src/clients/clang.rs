//! A clang that compiles CUDA with the headers of a toolkit as new as ours.

use super::debian::Tree;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// A suite of Debian that has it.
const SUITE: &str = "forky";

/// The first clang that takes the headers of CUDA 13.
const CLANG: &str = "clang-22";

/// The machine's own, else one under `.tools`.
pub(crate) fn clang(repo: &Repo) -> Result<PathBuf> {
    if Command::new(CLANG).arg("--version").text().is_ok() {
        return Ok(CLANG.into());
    }
    let tree = Tree::install(&repo.tools().join(CLANG), SUITE, &[CLANG, "patchelf"])?;
    let program = tree.program(CLANG)?;
    // A library's own path goes before the program's, and leads to none of the tree's other libraries.
    for library in ["libLLVM.so.22.1", "libclang-cpp.so.22.1"] {
        tree.forget_path_of(library)?;
    }
    Ok(program)
}
