//! `cargo xtask ci`: runs all checks one after another. At its end it prints one line per check, and the name of
//! everything that failed.

mod cargo_test;
mod tally;

pub(crate) use tally::Tally;

use crate::command::Run;
use crate::repo::Repo;
use crate::screenshot_style::ScreenshotStyle;
use crate::{codegen, fuzz, grammars, licences, nvim, vscode};
use anyhow::Result;
use std::fs;
use std::time::{Duration, Instant};

/// Enables the training commands, which are checked too. Editors' tests build the server without them, as shipped.
pub(crate) const TRAINING: &str = "--features=warplens/training";

/// One check: its name, and the function that runs it.
type CheckStage = (&'static str, fn(&Repo) -> Result<Tally>);

// The order saves time on a fresh machine: checks that fail early are first, and the tests precede the
// documentation because the tests build the program that the editors run.
const STEPS: &[CheckStage] = &[
    ("format", format),
    ("clippy", |repo| {
        passes(
            repo,
            &["clippy", "--workspace", "--all-targets", TRAINING, "--locked", "--", "-D", "warnings"],
        )
    }),
    ("fuzz targets", |repo| Ok(Tally::single("the fuzz targets build", fuzz::check(repo)?))),
    ("generated files", |repo| Ok(Tally::single("generated files are current", codegen::run(repo, true)?))),
    ("tests", cargo_test::run),
    ("cuda", cargo_test::compiled),
    ("documentation", documentation),
    ("licences", licences::run),
    ("grammars", grammars::run),
    ("neovim", |repo| nvim::run(repo, &[])),
    ("vscode", |repo| vscode::run(repo, &[], false, ScreenshotStyle::README)),
];

/// Runs all steps, even after a failure. True if nothing failed.
pub(crate) fn run(repo: &Repo) -> bool {
    let mut done = Vec::new();
    for (name, step) in STEPS {
        println!("\n==> {name}");
        let start = Instant::now();
        let tally = step(repo).unwrap_or_else(|error| {
            println!("{error:#}");
            Tally::single(&format!("{error:#}"), false)
        });
        done.push((*name, tally, start.elapsed()));
    }
    println!();
    for (name, tally, took) in &done {
        println!("{}", summary(name, tally, *took));
    }
    let total: Tally = done.into_iter().map(|(_, tally, _)| tally).sum();
    println!("{total}");
    total.all_passed()
}

/// One line with the counts, then one line for each failure.
fn summary(name: &str, tally: &Tally, took: Duration) -> String {
    let verdict = if tally.all_passed() { "ok" } else { "FAILED" };
    let counts = format!("{verdict:<7} {name:<14} {:>7.1} s   {tally}", took.as_secs_f64());
    tally.failures.iter().fold(counts, |lines, failure| lines + "\n        " + failure)
}

/// Runs a cargo command as one check.
fn passes(repo: &Repo, arguments: &[&str]) -> Result<Tally> {
    Ok(Tally::single(&format!("cargo {}", arguments.join(" ")), repo.cargo(arguments).watched(|_| ())?))
}

/// Checks the format of all files. Cargo does not see the rules, because a build script declares their modules.
fn format(repo: &Repo) -> Result<Tally> {
    let mut command = repo.cargo(&["fmt", "--all", "--check", "--"]);
    for entry in fs::read_dir(repo.path("server/advisor/src/rules"))? {
        command.args(Some(entry?.path()).filter(|path| path.extension().is_some_and(|found| found == "rs")));
    }
    Ok(Tally::single("cargo fmt", command.watched(|_| ())?))
}

fn documentation(repo: &Repo) -> Result<Tally> {
    let mut command =
        repo.cargo(&["doc", "--workspace", TRAINING, "--no-deps", "--document-private-items", "--locked"]);
    Ok(Tally::single("cargo doc", command.env("RUSTDOCFLAGS", "-D warnings").watched(|_| ())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_line_with_verdict_time_and_counts() {
        let passed = Tally { passed: 12, ..Tally::default() };
        let line = summary("tests", &passed, Duration::from_millis(61_240));
        assert_eq!(line, "ok      tests             61.2 s   12 passed, 0 failed");
    }

    #[test]
    fn a_summary_names_what_failed() {
        let failed = Tally { passed: 12, failures: vec!["sass::reads".to_owned()], left_out: 0 };
        let lines = summary("tests", &failed, Duration::from_millis(61_240));
        assert_eq!(lines, "FAILED  tests             61.2 s   12 passed, 1 failed\n        sass::reads");
    }
}
