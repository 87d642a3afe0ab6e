//! `cargo xtask bench`: what the benchmarks print, built for speed.

use crate::repo::Repo;
use anyhow::Result;

/// Runs the benchmarks over the real binary, or with `--fuzz` first the fuzzer of its protocol; other options are handed on.
pub(crate) fn run(repo: &Repo, options: &[&str]) -> Result<bool> {
    let (bench, options) = match options {
        ["--fuzz", options @ ..] => ("--bench=fuzzing", options),
        options => ("--bench=editing", options),
    };
    let mut command = repo.cargo(&["bench", "--locked", "--package=warplens", bench, "--"]);
    Ok(command.args(options).status()?.success())
}
