//! `cargo xtask torture`: runs the tests of the server under hostile input one after another, and prints the
//! result of each test.

use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::process::Command;

/// Seconds after which the run counts as failed and is stopped, with all processes that it has started.
const BOUND: &str = "300";

/// Runs all tests, or those with one of these words in their names. True if all passed in time.
pub(crate) fn run(repo: &Repo, names: &[String]) -> Result<bool> {
    let test = ["test", "--quiet", "--locked", "--package=warplens", "--test=torture"];
    repo.cargo(&test).arg("--no-run").ok()?;
    let cargo = repo.cargo(&test);
    let mut command = Command::new("timeout");
    command.current_dir(repo.path("")).args(["--kill-after=5", BOUND]).arg(cargo.get_program());
    command.args(cargo.get_args()).args(["--", "--nocapture", "--test-threads=1"]).args(names);
    Ok(command.status()?.success())
}
