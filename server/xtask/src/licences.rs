//! The licences and the doubles among what we depend on, by cargo-deny and `.cargo/deny.toml`.

use crate::ci::Tally;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

const VERSION: &str = "0.20.2";

/// Security advisories are not asked for: their database is a git repository, which a test machine with nothing but
/// the package registries cannot reach.
pub(crate) fn run(repo: &Repo) -> Result<Tally> {
    let deny = install(repo)?;
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

/// The path of cargo-deny; built where it is missing. Without optimisation that takes a third of the time, and the
/// check itself is instant either way.
fn install(repo: &Repo) -> Result<PathBuf> {
    let root = repo.tools().join(format!("cargo-deny-{VERSION}"));
    let program = root.join("bin/cargo-deny");
    if !program.exists() {
        println!("installing cargo-deny {VERSION}");
        repo.cargo(&[
            "install",
            "--quiet",
            "--locked",
            "--debug",
            "--version",
            VERSION,
            "cargo-deny",
            "--root",
        ])
        .arg(&root)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_TARGET_DIR", root.join("build"))
        .ok()?;
        std::fs::remove_dir_all(root.join("build"))?;
    }
    Ok(program)
}
