//! The extension's own tools: type check, tests, and the package that users install.

use super::check;
use crate::ci::Tally;
use crate::clients::Node;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "editors/vscode";

/// A copy of the lock file that npm installed from, so the same packages are not installed again.
const MARK: &str = "node_modules/.installed-from";

/// The extension's folder, and the tools that build it.
#[derive(Debug)]
pub(crate) struct Extension<'a> {
    node: &'a Node,
    folder: PathBuf,
}

impl<'a> Extension<'a> {
    pub(crate) fn prepare(repo: &Repo, node: &'a Node) -> Result<Self> {
        let folder = repo.path(FOLDER);
        install_packages(node, &folder)?;
        Ok(Self { node, folder })
    }

    /// The type check, and the tests that need no editor.
    pub(super) fn own_tests(&self) -> Tally {
        let tests = check("the extension's own tests", &mut self.npm(&["run", "--silent", "test"]));
        let types = check("the extension's types", &mut self.npm(&["run", "--silent", "check"]));
        [tests, types].into_iter().sum()
    }

    /// Writes the package for one platform, with `server` inside, to `vsix`.
    pub(crate) fn package(&self, server: &Path, platform: &str, vsix: &Path) -> Result<()> {
        let name = server.file_name().unwrap_or_default();
        let adjacent = self.folder.join("server");
        if adjacent.exists() {
            fs::remove_dir_all(&adjacent)?;
        }
        fs::create_dir_all(&adjacent)?;
        // Copies the permissions as well: the server must be executable.
        fs::copy(server, adjacent.join(name))?;
        self.npm(&["run", "--silent", "build"]).text()?;
        self.npm(&["run", "--silent", "package", "--", "--target", platform, "--out"]).arg(vsix).text()?;
        Ok(())
    }

    fn npm(&self, words: &[&str]) -> Command {
        let mut npm = self.node.npm();
        npm.args(words).current_dir(&self.folder);
        npm
    }
}

/// Installs exactly the packages of the lock file, unless they are installed already. Runs none of the
/// packages' scripts.
pub(super) fn install_packages(node: &Node, folder: &Path) -> Result<()> {
    let wanted = fs::read(folder.join("package-lock.json"))?;
    let mark = folder.join(MARK);
    if fs::read(&mark).is_ok_and(|had| had == wanted) {
        return Ok(());
    }
    node.npm().args(["ci", "--ignore-scripts", "--loglevel=error"]).current_dir(folder).text()?;
    fs::write(mark, wanted)?;
    Ok(())
}
