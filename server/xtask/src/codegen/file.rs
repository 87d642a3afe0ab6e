//! Generated files, and the texts that they are made of.

use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;

/// A file's path from the root of the repository, and what it has to say.
pub(super) type File = (String, String);

pub(super) fn text(repo: &Repo, path: &str) -> Result<String> {
    fs::read_to_string(repo.path(path)).with_context(|| path.to_owned())
}
