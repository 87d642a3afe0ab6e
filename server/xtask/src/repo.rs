//! The folders of the working tree, and commands of cargo in it.

use crate::command::Run;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The working tree that this program was built from.
#[derive(Debug)]
pub(crate) struct Repo {
    root: PathBuf,
    metadata: Value,
}

impl Repo {
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .context("xtask must be two folders below the root of the repository")?
            .to_path_buf();
        let text =
            Self::cargo_in(&root, &["metadata", "--format-version=1", "--no-deps", "--locked"]).text()?;
        Ok(Self { root, metadata: serde_json::from_str(&text)? })
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The workspace's packages, from `cargo metadata --no-deps`.
    #[cfg(test)]
    pub(crate) fn packages(&self) -> &[Value] {
        self.metadata["packages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The folder that cargo builds into, from `cargo metadata`.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let path =
            self.metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
        Ok(PathBuf::from(path))
    }

    /// The folder of programs that tests need and that are not part of the repository. Git ignores this
    /// folder.
    pub(crate) fn tools(&self) -> PathBuf {
        self.path(".tools")
    }

    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        Self::cargo_in(&self.root, arguments)
    }

    fn cargo_in(root: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).args(arguments);
        command
    }
}
