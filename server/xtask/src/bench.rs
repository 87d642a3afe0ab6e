//! `cargo xtask bench`: what the benchmarks print, built for speed.

use crate::repo::Repo;
use anyhow::Result;

/// Runs the benchmarks over the real binary; `options` are handed on.
pub(crate) fn run(repo: &Repo, options: &[&str]) -> Result<bool> {
    let mut command = repo.cargo(&["bench", "--locked", "--package=warplens", "--bench=editing", "--"]);
    Ok(command.args(options).status()?.success())
}
