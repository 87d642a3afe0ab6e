//! The licences and the doubles among what we depend on, by cargo-deny and `.cargo/deny.toml`.

use crate::ci::Tally;
use crate::clients::cargo_tool;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::process::Command;

const VERSION: &str = "0.20.2";

/// Security advisories are not asked for: their database is a git repository, which a test machine with nothing but
/// the package registries cannot reach.
pub(crate) fn run(repo: &Repo) -> Result<Tally> {
    // Without optimisation the build takes a third of the time, and the check itself is instant either way.
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
    Ok(Tally::from_passed(command.watched(|_| ())?))
}
