//! Checks the licences and duplicate versions of our dependencies, with cargo-deny and `.cargo/deny.toml`.

use crate::ci::Tally;
use crate::clients::cargo_tool;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::process::Command;

const VERSION: &str = "0.20.2";

/// Runs the check without security advisories. Their database is a git repository, which a test machine with
/// access only to package registries cannot reach.
pub(crate) fn run(repo: &Repo) -> Result<Tally> {
    // Without optimisation the build takes a third of the time, and the check itself takes no time either way.
    let deny = cargo_tool(repo, &format!("cargo-deny-{VERSION}"), ("cargo-deny", VERSION), &["--debug"])?;
    let mut command = Command::new(deny);
    command.current_dir(repo.path("")).args([
        "--locked",
        "check",
        "--hide-inclusion-graph",
        "licenses",
        "bans",
        "sources",
    ]);
    Ok(Tally::single("cargo deny", command.watched(|_| ())?))
}
