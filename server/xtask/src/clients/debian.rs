//! Programs of another Debian suite, unpacked under a folder. The machine's own packages are not touched.

use crate::command::Run;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with packages of one suite and all their dependencies.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Fetches and unpacks `packages`, unless `root` already has a finished tree. Needs apt and dpkg, but no rights
    /// beyond writing to `root`. Uses the mirror from which this machine gets its own packages.
    pub(super) fn install(root: &Path, suite: &str, packages: &[&str]) -> Result<Self> {
        let tree = Self { root: root.join("tree") };
        let finished = root.join("finished");
        let wanted = format!("{suite} {}", packages.join(" "));
        if fs::read_to_string(&finished).is_ok_and(|had| had == wanted) {
            return Ok(tree);
        }
        if root.exists() {
            fs::remove_dir_all(root)?;
        }
        println!("installing {} of Debian {suite} into {}", packages.join(", "), root.display());
        let configuration = configure(&root.join("apt"), suite)?;
        let apt = || {
            let mut command = Command::new("apt-get");
            command.env("APT_CONFIG", &configuration).arg("-qq");
            command
        };
        apt().arg("update").text()?;
        apt().args(["-y", "--download-only", "install"]).args(packages).text()?;
        let archives = root.join("apt/cache/archives");
        fs::create_dir_all(&tree.root)?;
        for entry in fs::read_dir(&archives)? {
            let archive = entry?.path();
            if archive.extension().is_some_and(|extension| extension == "deb") {
                Command::new("dpkg").arg("-x").arg(&archive).arg(&tree.root).ok()?;
            }
        }
        fs::remove_dir_all(root.join("apt"))?;
        fs::write(finished, wanted)?;
        Ok(tree)
    }

    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A program of the tree, patched to load the tree's own libraries. A wrapper script is not enough,
    /// because Neovim starts itself again by its own path for its screen. Needs `patchelf` in the tree.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf> {
        let made = self.path(&format!("usr/bin/{name}.here"));
        if !made.exists() {
            self.patchelf()
                .arg("--set-interpreter")
                .arg(self.loader())
                .args(["--force-rpath", "--set-rpath"])
                .arg(self.libraries())
                .arg("--output")
                .arg(&made)
                .arg(self.path(&format!("usr/bin/{name}")))
                .ok()?;
        }
        Ok(made)
    }

    /// Removes a library's own search path, so the program's search path is used.
    pub(super) fn forget_path_of(&self, library: &str) -> Result<()> {
        self.patchelf().arg("--remove-rpath").arg(self.libraries().join(library)).ok()
    }

    fn patchelf(&self) -> Command {
        let mut command = Command::new(self.loader());
        command.arg("--library-path").arg(self.libraries()).arg(self.path("usr/bin/patchelf"));
        command
    }

    fn loader(&self) -> PathBuf {
        self.path("usr/lib64/ld-linux-x86-64.so.2")
    }

    fn libraries(&self) -> PathBuf {
        self.path("usr/lib/x86_64-linux-gnu")
    }
}

/// Writes an apt configuration that keeps apt's state under `root`. Returns the path of the configuration.
fn configure(root: &Path, suite: &str) -> Result<PathBuf> {
    for folder in [
        "state/lists/partial",
        "cache/archives/partial",
        "etc/apt.conf.d",
        "etc/preferences.d",
        "etc/trusted.gpg.d",
    ] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("status"), "")?;
    // A rolling suite's Release file may have expired on a mirror; its signature is still checked.
    let options = "check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg";
    fs::write(root.join("sources.list"), format!("deb [{options}] {} {suite} main\n", mirror()?))?;
    let here = root.to_str().context("the repository's path is not UTF-8")?;
    let path = root.join("apt.conf");
    fs::write(
        &path,
        format!(
            r#"Dir::Etc "{here}/etc";
Dir::Etc::sourcelist "{here}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "{here}/state";
Dir::State::status "{here}/status";
Dir::Cache "{here}/cache";
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
"#
        ),
    )?;
    Ok(path)
}

/// The mirror of Debian itself (not of its security updates) that this machine's apt uses.
fn mirror() -> Result<String> {
    let listed = Command::new("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI)"])
        .text()
        .context("only a Debian machine can install clients; elsewhere put nvim 0.11+ and tmux on $PATH")?;
    match listed.lines().find(|uri| uri.trim_end_matches('/').ends_with("/debian")) {
        Some(uri) => Ok(uri.to_owned()),
        None => bail!("apt has no source of Debian packages; put nvim 0.11+ and tmux on $PATH"),
    }
}
