//! A real Neovim, and a terminal in which Neovim draws.

use super::debian::Tree;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The first suite of Debian that has Neovim 0.11 or later.
const SUITE: &str = "forky";

/// A Neovim of a version that our plugin supports, and tmux.
#[derive(Debug)]
pub(crate) struct Neovim {
    program: PathBuf,
    tmux: PathBuf,
    /// Locations of Neovim's files; `None` if Neovim finds its files by itself.
    runtime: Option<Runtime>,
}

#[derive(Debug)]
struct Runtime {
    files: PathBuf,
    /// Compiled parsers of the languages that come with Neovim.
    parsers: PathBuf,
}

impl Neovim {
    /// The machine's Neovim if it is new enough, otherwise a Neovim under `.tools`.
    pub(crate) fn find_or_install(repo: &Repo) -> Result<Self> {
        let own = Self { program: "nvim".into(), tmux: "tmux".into(), runtime: None };
        let has_tmux = Command::new("tmux").arg("-V").text().is_ok();
        if has_tmux && own.version().is_ok_and(|(major, minor)| (major, minor) >= (0, 11)) {
            return Ok(own);
        }
        let tree = Tree::install(&repo.tools().join("neovim"), SUITE, &["neovim", "patchelf", "tmux"])?;
        let installed = Self {
            program: tree.program("nvim")?,
            tmux: tree.program("tmux")?,
            runtime: Some(Runtime {
                files: tree.path("usr/share/nvim/runtime"),
                parsers: tree.path("usr/lib/nvim"),
            }),
        };
        let version = installed.version()?;
        ensure!(version >= (0, 11), "the Neovim of Debian {SUITE} is {}.{}", version.0, version.1);
        Ok(installed)
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn tmux(&self) -> Command {
        Command::new(&self.tmux)
    }

    /// Options that Neovim needs at every start.
    pub(crate) fn options(&self) -> Vec<String> {
        let parsers = self.runtime.iter().map(|runtime| format!("set rtp^={}", runtime.parsers.display()));
        parsers.flat_map(|set| ["--cmd".to_owned(), set]).collect()
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        self.runtime.iter().map(|runtime| ("VIMRUNTIME", runtime.files.clone())).collect()
    }

    /// The major and the minor version.
    fn version(&self) -> Result<(u32, u32)> {
        let text = Command::new(&self.program).envs(self.environment()).arg("--version").text()?;
        read_version(&text).with_context(|| format!("nvim --version says {text:?}"))
    }
}

fn read_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.lines().next()?.strip_prefix("NVIM v")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_of_releases_and_of_nightly_builds() {
        assert_eq!(read_version("NVIM v0.12.4\nBuild type: Release"), Some((0, 12)));
        assert_eq!(read_version("NVIM v0.13.0-dev-12+g1234"), Some((0, 13)));
        assert_eq!(read_version("VIM - Vi IMproved 9.1"), None);
    }
}
