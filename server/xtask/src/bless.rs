//! `cargo xtask bless`: what tests got becomes what they expect.

use crate::repo::Repo;
use anyhow::Result;

/// Runs all tests with both switches that make them rewrite: `UPDATE_EXPECT` is that of `expect-test`,
/// `WARPLENS_BLESS` that of our own fixtures. True where, after that, every test passes.
pub(crate) fn run(repo: &Repo) -> Result<bool> {
    let mut command = repo.cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    Ok(command.env("UPDATE_EXPECT", "1").env("WARPLENS_BLESS", "1").status()?.success())
}
