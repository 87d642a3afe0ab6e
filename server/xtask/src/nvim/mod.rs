//! Our plugin and the real server in a real Neovim: without a screen, and drawn in a terminal.

mod drawn;
mod headless;
mod picture;
mod screen;
mod stage;
mod terminal;

use crate::ci::Tally;
use crate::repo::Repo;
use crate::screenshot_style::ScreenshotStyle;
use anyhow::Result;
use stage::Stage;

/// The folder of the pictures in the plugin's README.
const SCREENSHOTS: &str = "editors/nvim/screenshots";

/// Runs the suites whose name contains one of `names`; if `names` is empty, all suites, including the one on screen.
/// Screenshots are written under the target folder.
pub(crate) fn run(repo: &Repo, names: &[String]) -> Result<Tally> {
    let stage = Stage::set(repo, ScreenshotStyle::README)?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let mut tallies = Vec::new();
    for suite in headless::suites(repo)? {
        if wanted(&suite.name) {
            tallies.push(headless::run(&stage, &suite)?);
        }
    }
    if wanted("screen") {
        tallies.push(screen::run(&stage, &repo.target()?.join("neovim/screenshots"))?);
    }
    Ok(tallies.into_iter().sum())
}

/// Takes the screenshots for the plugin's README. If `look` is not the default, writes them under the target folder
/// instead.
pub(crate) fn screenshot(repo: &Repo, look: ScreenshotStyle) -> Result<Tally> {
    let pictures = match look {
        ScreenshotStyle::README => repo.path(SCREENSHOTS),
        _ => repo.target()?.join("neovim").join(look.name()),
    };
    screen::run(&Stage::set(repo, look)?, &pictures)
}
