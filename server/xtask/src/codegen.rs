//! `cargo xtask codegen`: generates the opcodes in the grammars, the settings and rules in manifests and on pages,
//! the chips and commands on pages, and the schema of `warplens.toml`.

mod chips;
mod commands;
mod file;
mod grammars;
mod opcodes;
mod ptx;
mod rules;
mod schema;
mod settings;

use crate::repo::Repo;
use anyhow::Result;
use file::File;
use std::fs;

/// Writes every generated file that is out of date; with `only_check`, lists them instead. True if no file is out of
/// date afterwards.
pub(crate) fn run(repo: &Repo, only_check: bool) -> Result<bool> {
    let mut current = true;
    for (path, wanted) in files(repo)? {
        if fs::read_to_string(repo.path(&path)).is_ok_and(|had| had == wanted) {
            continue;
        }
        if only_check {
            println!("{path} is out of date: run `cargo xtask codegen`");
            current = false;
        } else {
            let to = repo.path(&path);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(to, wanted)?;
            println!("wrote {path}");
        }
    }
    Ok(current)
}

fn files(repo: &Repo) -> Result<Vec<File>> {
    let mut files = grammars::files(repo)?;
    files.extend(settings::files(repo)?);
    files.extend(schema::files(repo)?);
    files.extend(rules::files(repo)?);
    files.extend(chips::files(repo)?);
    files.extend(commands::files(repo)?);
    Ok(files)
}
