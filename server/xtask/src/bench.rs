//! `cargo xtask bench`: the benchmark of the suites, built for speed.

use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Result, bail};

/// The benchmark is the binary `bench` of the package `tests`; `options` are handed on.
pub(crate) fn run(repo: &Repo, options: &[&str]) -> Result<bool> {
    let targets = repo.packages().iter().filter(|package| package["name"] == "tests");
    let exists = targets
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .any(|target| target["name"] == "bench" && target["kind"][0] == "bin");
    if !exists {
        bail!("the package `tests` has no binary `bench`");
    }
    // The benchmark drives the real program, so that must be there, and be as fast as it ships.
    repo.cargo(&["build", "--release", "--locked", "--package=warplens"]).ok()?;
    let mut command = repo.cargo(&["run", "--release", "--locked", "--package=tests", "--bin=bench", "--"]);
    Ok(command.args(options).status()?.success())
}
