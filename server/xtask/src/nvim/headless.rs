//! The suites in `tests/e2e/nvim/*_test.lua`, each in a separate Neovim.

use super::stage::Stage;
use crate::ci::Tally;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Longest time for a suite, in seconds; a suite that hangs is killed.
const LIMIT_SECONDS: &str = "300";
/// Number of last lines of the client's and the server's log that are printed after a failure.
const LOG_LINES: usize = 20;

/// A file of test cases.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) name: String,
    path: PathBuf,
}

pub(super) fn suites(repo: &Repo) -> Result<Vec<Suite>> {
    let mut suites = Vec::new();
    for entry in fs::read_dir(repo.path("tests/e2e/nvim"))? {
        let path = entry?.path();
        let name =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix("_test.lua"));
        if let Some(name) = name {
            suites.push(Suite { name: name.to_owned(), path: path.clone() });
        }
    }
    suites.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(suites)
}

/// Runs one suite. A Neovim that crashes or finishes without a case counts as a failure.
pub(super) fn run(stage: &Stage, suite: &Suite) -> Result<Tally> {
    println!("--- neovim: {}", suite.name);
    let home = stage.home(&suite.name)?;
    let tally = Command::new("timeout")
        .arg(LIMIT_SECONDS)
        .args(stage.words())
        .args(["--headless", "-S"])
        .arg(&suite.path)
        .envs(stage.environment(&home)?)
        .stdin(Stdio::null())
        .cases(&format!("{}: Neovim did not finish it", suite.name))?;
    if !tally.failures.is_empty() {
        print_log(&home);
    }
    Ok(tally)
}

/// Prints the end of the client's and the server's log.
fn print_log(home: &Path) {
    let Ok(log) = fs::read_to_string(home.join("state/nvim/lsp.log")) else { return };
    let lines: Vec<&str> = log.lines().collect();
    for line in &lines[lines.len().saturating_sub(LOG_LINES)..] {
        println!("  log {line}");
    }
}
