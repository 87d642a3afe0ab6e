//! `cargo test --workspace`, and the tests that need a compiler, with their counts. Not every machine has a
//! compiler.

use super::{TRAINING, Tally};
use crate::clients::{clang, cuda};
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::collections::BTreeSet;
use std::process::Command;

/// Runs all tests of the workspace.
pub(super) fn run(repo: &Repo) -> Result<Tally> {
    counted(&mut repo.cargo(&["test", "--workspace", TRAINING, "--locked", "--no-fail-fast"]))
}

/// Runs the tests that compile CUDA. Each test that finds no compiler is reported as skipped.
pub(super) fn compiled(repo: &Repo) -> Result<Tally> {
    let (cuda, clang) = (cuda(repo)?, clang(repo)?);
    let tests = [("suite", "compile"), ("cli", "compiled_code")];
    let tallies = tests.map(|(test, names)| {
        // The features are those of the complete workspace, so no crate is built again with other features.
        let mut command = repo.cargo(&["test", "--workspace", TRAINING, "--test", test, "--locked", names]);
        counted(command.env("CUDA_HOME", &cuda).env("WARPLENS_CLANG", &clang))
    });
    tallies.into_iter().sum()
}

/// Runs tests and counts the parts that they report as skipped (`testkit::left_out`). A crate that does not
/// build, or a test program that crashes, counts as one failure.
fn counted(command: &mut Command) -> Result<Tally> {
    let mut tally = Tally::default();
    let left_out = tempfile::NamedTempFile::new()?;
    let succeeded = command.env("WARPLENS_LEFT_OUT", left_out.path()).watched(|line| {
        if let Some(result) = read_result(line) {
            tally = [tally, result].into_iter().sum();
        }
    })?;
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    let lines = std::fs::read_to_string(left_out.path())?;
    // Several tests may lack the same program.
    let lines: BTreeSet<&str> = lines.lines().collect();
    for line in &lines {
        println!("{line}");
    }
    tally.left_out = lines.len() as u32;
    Ok(tally)
}

/// The counts in `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn read_result(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let count = |unit: &str| counts.split("; ").find_map(|part| part.strip_suffix(unit)?.trim().parse().ok());
    Some(Tally { passed: count("passed")?, failed: count("failed")?, left_out: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_test_programs_print() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.04s";
        assert_eq!(read_result(line), Some(Tally { passed: 12, failed: 3, left_out: 0 }));
        assert_eq!(read_result("test sass::reads ... ok"), None);
    }
}
