//! The needs of every test in Neovim: the editor, the server's program, and a home of its own.

use crate::clients::Neovim;
use crate::command::Run;
use crate::look::Look;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A built server and an editor to try it in.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub(super) repo: &'a Repo,
    pub(super) neovim: Neovim,
    /// The folder of the program `warplens`.
    programs: PathBuf,
    /// Holds a home for each run.
    homes: PathBuf,
    pub(super) look: Look,
}

impl<'a> Stage<'a> {
    pub(super) fn set(repo: &'a Repo, look: Look) -> Result<Self> {
        let neovim = Neovim::find_or_install(repo).context("no Neovim to test in")?;
        repo.cargo(&["build", "--quiet", "--locked", "--bin=warplens"]).ok()?;
        let target = repo.target()?;
        Ok(Self { repo, neovim, programs: target.join("debug"), homes: target.join("neovim"), look })
    }

    /// An empty home; what an earlier run left there is gone.
    pub(super) fn home(&self, name: &str) -> Result<PathBuf> {
        let home = self.homes.join(name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        Ok(home)
    }

    /// The environment of a Neovim that lives in `home`, finds our server on its path, and sees nothing of the user's.
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

    /// The words that start Neovim as a user has it who wrote the README's lines into their configuration.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![self.neovim.program().display().to_string()];
        words.extend(self.neovim.options());
        let init = self.repo.path("tests/e2e/nvim/init.lua").display().to_string();
        words.extend(["-u".to_owned(), init, "-n".to_owned(), "-i".to_owned(), "NONE".to_owned()]);
        words
    }
}
