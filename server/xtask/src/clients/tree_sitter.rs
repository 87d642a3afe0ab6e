//! The tree-sitter program, which makes a parser of a grammar and runs the grammar's tests.

use super::debian::Tree;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// The release whose output is committed; another may write the same parser in other words.
const RELEASE: &str = "0.26";

/// The machine's own of that release, else one under `.tools`: the program of npm and PyPI is fetched from elsewhere,
/// and building the one of crates.io takes minutes.
pub(crate) fn tree_sitter(repo: &Repo) -> Result<PathBuf> {
    let own = PathBuf::from("tree-sitter");
    let wanted = format!("tree-sitter {RELEASE}.");
    if Command::new(&own).arg("--version").text().is_ok_and(|says| says.starts_with(&wanted)) {
        return Ok(own);
    }
    let root = repo.tools().join("tree-sitter");
    Tree::install(&root, "forky", &["tree-sitter-cli", "patchelf"])?.program("tree-sitter")
}
