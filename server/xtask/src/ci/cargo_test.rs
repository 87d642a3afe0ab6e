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
        if let Some((name, passed)) = read_result(line) {
            tally.add(name, passed);
        }
    })?;
    if !succeeded && tally.failures.is_empty() {
        tally.add("a crate does not build, or a test program crashed", false);
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

/// The test in a line `test NAME ... ok` or `test NAME ... FAILED`, and whether it passed.
fn read_result(line: &str) -> Option<(&str, bool)> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    match result {
        "ok" => Some((name, true)),
        "FAILED" => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_test_programs_print() {
        assert_eq!(read_result("test sass::reads ... ok"), Some(("sass::reads", true)));
        assert_eq!(read_result("test sass::reads ... FAILED"), Some(("sass::reads", false)));
        assert_eq!(read_result("test sass::reads ... ignored, needs a GPU"), None);
        assert_eq!(read_result("test result: ok. 12 passed; 0 failed; 1 ignored"), None);
    }
}
