//! A real VS Code workbench: code-server, built from its package, which fetches nothing when it runs.

use super::Node;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

const RELEASE: &str = "4.139.1";

/// Native modules without which the workbench does not start. Its `package.json` also lists kerberos and sqlite3, which
/// nothing here uses.
const NATIVE: &[&str] = &[
    "@vscode/spdlog",
    "@vscode/native-watchdog",
    "@vscode/fs-copyfile",
    "@vscode/deviceid",
    "@parcel/watcher",
    "node-pty",
];

/// Links that the package's own installation script would create.
const LINKS: &[(&str, &str)] =
    &[("bin/remote-cli/code-server", "code-linux.sh"), ("bin/helpers/browser.sh", "browser-linux.sh")];

/// The script that `node` runs as code-server. Installing it needs gcc, g++, make, python3, two minutes and 700 MB.
pub(crate) fn code_server(repo: &Repo, node: &Node) -> Result<PathBuf> {
    let root = repo.tools().join(format!("code-server-{RELEASE}"));
    let entry = root.join("package/node_modules/code-server/out/node/entry.js");
    let finished = root.join("finished");
    if !finished.exists() {
        install(&root.join("package"), node)?;
        fs::write(finished, RELEASE)?;
    }
    Ok(entry)
}

fn install(package: &Path, node: &Node) -> Result<()> {
    println!("installing code-server {RELEASE} into {}", package.display());
    fs::create_dir_all(package)?;
    fs::write(package.join("package.json"), "{ \"private\": true }\n")?;
    let headers = node.headers()?;
    let npm = |folder: &Path, words: &[&str]| {
        let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
        let mut npm = node.npm();
        npm.args(words).args(quiet).current_dir(folder);
        npm.env("npm_config_nodedir", &headers).env("MAKEFLAGS", "-j4").text().map(drop)
    };
    npm(package, &["install", "--ignore-scripts", &format!("code-server@{RELEASE}")])?;
    npm(package, &["rebuild", "argon2"])?;
    let workbench = package.join("node_modules/code-server/lib/vscode");
    npm(&workbench, &["install", "--omit=dev", "--ignore-scripts"])?;
    npm(&workbench.join("extensions"), &["install", "--omit=dev", "--ignore-scripts"])?;
    npm(&workbench, &[&["rebuild"], NATIVE].concat())?;
    for (link, script) in LINKS {
        let link = workbench.join(link);
        if !link.exists() {
            std::os::unix::fs::symlink(script, link)?;
        }
    }
    Ok(())
}
