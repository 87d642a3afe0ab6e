//! Programs from crates.io, built if they are missing.

use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::fs;
use std::path::PathBuf;

/// The path of a program, which is built if it is missing; `options` are additional options of `cargo install`.
pub(crate) fn cargo_tool(
    repo: &Repo,
    folder: &str,
    (name, version): (&str, &str),
    options: &[&str],
) -> Result<PathBuf> {
    let root = repo.tools().join(folder);
    let program = root.join("bin").join(name);
    if !program.exists() {
        println!("installing {name} {version}");
        repo.cargo(&["install", "--quiet", "--locked", "--version", version, name, "--root"])
            .arg(&root)
            .args(options)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .env("CARGO_TARGET_DIR", root.join("build"))
            .ok()?;
        fs::remove_dir_all(root.join("build"))?;
    }
    Ok(program)
}
