//! The tree-sitter program, which generates a parser from a grammar and runs the grammar's tests.

use super::debian::Tree;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// The release whose output is committed; another release may generate different text for the same parser.
const RELEASE: &str = "0.26";

/// The machine's program if it is of this release, otherwise a program under `.tools`. The packages of npm
/// and PyPI download the program from elsewhere, and building the crate takes minutes.
pub(crate) fn tree_sitter(repo: &Repo) -> Result<PathBuf> {
    let own = PathBuf::from("tree-sitter");
    let wanted = format!("tree-sitter {RELEASE}.");
    if Command::new(&own).arg("--version").text().is_ok_and(|says| says.starts_with(&wanted)) {
        return Ok(own);
    }
    let root = repo.tools().join("tree-sitter");
    Tree::install(&root, "forky", &["tree-sitter-cli", "patchelf"])?.program("tree-sitter")
}
