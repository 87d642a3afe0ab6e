//! Our extension and the real server in a real VS Code workbench, in a browser without a screen.

mod extension;

pub(crate) use extension::Extension;

use crate::ci::Tally;
use crate::clients::{Node, chromium, code_server};
use crate::command::Run;
use crate::dist::{self, Profile};
use crate::repo::Repo;
use crate::screenshot_style::ScreenshotStyle;
use anyhow::Result;
use extension::install_packages;
use std::fs;
use std::process::{Command, Stdio};

const TESTS: &str = "tests/e2e/vscode";
const SCREENSHOTS: &str = "editors/vscode/screenshots";

/// Longest time for all cases in the browser together, in seconds; if they hang, they are killed.
const LIMIT_SECONDS: &str = "1800";

/// Runs the cases whose name contains one of `names`; if `names` is empty, all cases and the extension's own tests.
/// Replaces the screenshots if `draw` is true, otherwise writes them under the target folder.
pub(crate) fn run(repo: &Repo, names: &[String], draw: bool, look: ScreenshotStyle) -> Result<Tally> {
    let node = Node::pinned(repo)?;
    let extension = Extension::prepare(repo, &node)?;
    let own = if names.is_empty() { extension.own_tests() } else { Tally::default() };
    let code_server = code_server(repo, &node)?;
    let chromium = chromium()?;
    install_packages(&node, &repo.path(TESTS))?;
    let vsix = dist::vsix(repo, &extension, Profile::Dev)?;

    let stage = repo.target()?.join("vscode");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    fs::create_dir_all(&stage)?;
    let screenshots = if draw { repo.path(SCREENSHOTS) } else { stage.join("screenshots") };
    let tally = node
        .in_reach("timeout")
        .args([LIMIT_SECONDS, "node"])
        .arg(repo.path(TESTS).join("main.mjs"))
        .args(names)
        .env("WARPLENS_ROOT", repo.path(""))
        .env("WARPLENS_VSIX", vsix)
        .env("WARPLENS_STAGE", &stage)
        .env("WARPLENS_SCREENSHOTS", screenshots)
        .env("WARPLENS_WIDTH", look.width.to_string())
        .env("WARPLENS_THEME", look.theme())
        .env("CODE_SERVER", code_server)
        .env("CHROMIUM", chromium)
        .stdin(Stdio::null())
        .cases("vscode: the cases did not finish")?;
    if !tally.failures.is_empty() {
        println!("pictures of the failures: {}", stage.join("failures").display());
    }
    Ok([own, tally].into_iter().sum())
}

/// Runs a command as one check, and prints its output if it fails.
fn check(what: &str, command: &mut Command) -> Tally {
    match command.text() {
        Ok(_) => {
            println!("ok {what}");
            Tally::single(what, true)
        }
        Err(error) => {
            println!("not ok {what}: {error:#}");
            Tally::single(what, false)
        }
    }
}
