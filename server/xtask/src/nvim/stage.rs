//! The environment of every test in Neovim: the editor, the server's program, and an empty home folder.

use crate::clients::Neovim;
use crate::command::Run;
use crate::repo::Repo;
use crate::screenshot_style::ScreenshotStyle;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A built server and an editor to test the server in.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub(super) repo: &'a Repo,
    pub(super) neovim: Neovim,
    /// The folder of the program `warplens`.
    programs: PathBuf,
    /// Folder with one home folder per run.
    homes: PathBuf,
    pub(super) look: ScreenshotStyle,
}

impl<'a> Stage<'a> {
    pub(super) fn set(repo: &'a Repo, look: ScreenshotStyle) -> Result<Self> {
        let neovim = Neovim::find_or_install(repo).context("no Neovim to test in")?;
        repo.cargo(&["build", "--quiet", "--locked", "--bin=warplens"]).ok()?;
        let target = repo.target()?;
        Ok(Self { repo, neovim, programs: target.join("debug"), homes: target.join("neovim"), look })
    }

    /// Creates an empty home folder. Removes the files of an earlier run first.
    pub(super) fn home(&self, name: &str) -> Result<PathBuf> {
        let home = self.homes.join(name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        Ok(home)
    }

    /// Environment of a Neovim with this home folder and our server on PATH, without the user's configuration.
    pub(super) fn environment(&self, home: &Path) -> Result<Vec<(&'static str, OsString)>> {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(
            std::iter::once(self.programs.clone()).chain(std::env::split_paths(&others)),
        )?;
        let mut variables = vec![
            ("PATH", path),
            ("WARPLENS_ROOT", self.repo.path("").components().as_path().into()),
            ("LANG", "C.UTF-8".into()),
            ("HOME", home.into()),
        ];
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            variables.push((name, home.join(folder).into()));
        }
        variables.extend(self.neovim.environment().into_iter().map(|(name, value)| (name, value.into())));
        Ok(variables)
    }

    /// The command that starts Neovim with the configuration that the README describes.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![self.neovim.program().display().to_string()];
        words.extend(self.neovim.options());
        let init = self.repo.path("tests/e2e/nvim/init.lua").display().to_string();
        words.extend(["-u".to_owned(), init, "-n".to_owned(), "-i".to_owned(), "NONE".to_owned()]);
        words
    }
}
