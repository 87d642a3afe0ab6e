//! Real editors and compilers for the tests, installed if the machine has no suitable ones.

mod cargo_tool;
mod chromium;
mod clang;
mod cuda;
mod debian;
mod neovim;
mod node;
mod tree_sitter;
mod vscode;

pub(crate) use cargo_tool::cargo_tool;
pub(crate) use chromium::chromium;
pub(crate) use clang::clang;
pub(crate) use cuda::cuda;
pub(crate) use neovim::Neovim;
pub(crate) use node::Node;
pub(crate) use tree_sitter::tree_sitter;
pub(crate) use vscode::code_server;

use crate::repo::Repo;
use anyhow::Result;
use debian::Tree;
use std::path::PathBuf;

/// A folder with `DejaVuSansMono.ttf` and its bold face.
pub(crate) fn monospace_fonts(repo: &Repo) -> Result<PathBuf> {
    let tree = Tree::install(&repo.tools().join("fonts"), "stable", &["fonts-dejavu-mono"])?;
    Ok(tree.path("usr/share/fonts/truetype/dejavu"))
}
