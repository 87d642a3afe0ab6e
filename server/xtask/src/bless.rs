//! `cargo xtask bless`: replaces the expected results of tests with the actual ones.

use crate::repo::Repo;
use anyhow::Result;

/// Runs all tests with the two variables that make the tests rewrite their expected results: `UPDATE_EXPECT`
/// for `expect-test`, `WARPLENS_BLESS` for our own fixtures. True if every test passes afterwards.
pub(crate) fn run(repo: &Repo) -> Result<bool> {
    let mut command = repo.cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    Ok(command.env("UPDATE_EXPECT", "1").env("WARPLENS_BLESS", "1").status()?.success())
}
