//! `cargo xtask dist`: builds the package that users install.

use crate::clients::Node;
use crate::command::Run;
use crate::repo::Repo;
use crate::vscode::Extension;
use anyhow::{Result, bail, ensure};
use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The cargo profile that the server is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// The profile that the tests build with.
    Dev,
    /// Fast code, built in a third of the time that `Dist` takes.
    Release,
    /// The profile of the server that is shipped.
    Dist,
}

impl Profile {
    /// Cargo's name for the profile, and the folder that it builds into.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Dev => ("dev", "debug"),
            Self::Release => ("release", "release"),
            Self::Dist => ("dist", "dist"),
        }
    }
}

/// Writes the extension's package for this machine's platform. Prints each step, and the package's path.
pub(crate) fn run(repo: &Repo, profile: Profile) -> Result<()> {
    let start = Instant::now();
    println!("1 of 3: the packages that the extension is built from");
    let node = Node::pinned(repo)?;
    let extension = Extension::prepare(repo, &node)?;
    println!("2 of 3: the server");
    let build = Instant::now();
    let server = server(repo, profile, &[])?;
    let build = build.elapsed();
    println!("3 of 3: the extension");
    let vsix = package(repo, &extension, &server, profile)?;
    let megabytes = fs::metadata(&vsix)?.len() as f64 / 1e6;
    let (all, build) = (start.elapsed().as_secs(), build.as_secs());
    println!("{} ({megabytes:.1} MB) in {all} s, {build} s of them for the server", vsix.display());
    Ok(())
}

/// The extension's package with the server inside.
pub(crate) fn vsix(repo: &Repo, extension: &Extension<'_>, profile: Profile) -> Result<PathBuf> {
    package(repo, extension, &server(repo, profile, &["--quiet"])?, profile)
}

/// Builds the server and returns its path.
fn server(repo: &Repo, profile: Profile, options: &[&str]) -> Result<PathBuf> {
    let (name, folder) = profile.names();
    repo.cargo(&["build", "--locked", "--bin=warplens", "--profile", name]).args(options).ok()?;
    let server = repo.target()?.join(folder).join(format!("warplens{EXE_SUFFIX}"));
    let says = Command::new(&server).arg("--version").text()?;
    ensure!(says.starts_with("warplens "), "{} says {says:?}", server.display());
    Ok(server)
}

fn package(repo: &Repo, extension: &Extension<'_>, server: &Path, profile: Profile) -> Result<PathBuf> {
    let platform = platform(OS, ARCH)?;
    let mut packages = repo.target()?.join("package");
    // A test must not overwrite the program that is to be shipped.
    if profile != Profile::Dist {
        packages.push(profile.names().1);
    }
    fs::create_dir_all(&packages)?;
    let vsix = packages.join(format!("warplens-{platform}-{}.vsix", env!("CARGO_PKG_VERSION")));
    extension.package(server, platform, &vsix)?;
    Ok(vsix)
}

/// VS Code's name for a platform.
fn platform(os: &str, arch: &str) -> Result<&'static str> {
    Ok(match (os, arch) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        _ => bail!("VS Code has no platform for {os} on {arch}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_named_as_vs_code_does() {
        assert_eq!(platform("linux", "x86_64").expect("a platform"), "linux-x64");
        assert_eq!(platform("macos", "aarch64").expect("a platform"), "darwin-arm64");
        assert!(platform("linux", "riscv64").is_err());
    }
}
