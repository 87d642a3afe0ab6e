//! A Chromium, in which tests open web pages.

use crate::command::Run;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Names of the program in different distributions.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// The machine's Chromium. If it is missing, Debian's package is installed, which needs the rights to install
/// packages.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(found) = own() {
        return Ok(found);
    }
    println!("installing chromium");
    let apt = |words: &[&str]| {
        Command::new("apt-get").arg("-qq").args(words).env("DEBIAN_FRONTEND", "noninteractive").text()
    };
    let installed = apt(&["update"])
        .and_then(|_| apt(&["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]));
    installed.context("no chromium on $PATH, and it could not be installed; install it by hand")?;
    match own() {
        Some(found) => Ok(found),
        None => bail!("apt-get has installed chromium, and it is not on $PATH"),
    }
}

fn own() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path);
    folders.find_map(|folder| NAMES.iter().map(|name| folder.join(name)).find(|program| program.is_file()))
}
