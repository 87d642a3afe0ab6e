//! Generated files, and the texts that they are made of.

use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;

/// A file's path from the root of the repository, and what it has to say.
pub(super) type File = (String, String);

pub(super) fn text(repo: &Repo, path: &str) -> Result<String> {
    fs::read_to_string(repo.path(path)).with_context(|| path.to_owned())
}

/// Returns a page with another text between two marks, which stay.
pub(super) fn between(page: &str, begin: &str, end: &str, text: &str) -> Result<String> {
    let (before, rest) = page.split_once(begin).with_context(|| format!("no mark {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("no mark {end}"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}
