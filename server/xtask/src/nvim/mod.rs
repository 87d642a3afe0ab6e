//! Our plugin and the real server in a real Neovim: without a screen, and drawn in a terminal.

mod drawn;
mod headless;
mod picture;
mod screen;
mod stage;

use crate::ci::Tally;
use crate::repo::Repo;
use anyhow::Result;
use stage::Stage;

/// Runs the suites whose name holds one of `names`; all of them, the one on screen included, for none.
pub(crate) fn run(repo: &Repo, names: &[&str]) -> Result<Tally> {
    let stage = Stage::set(repo)?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));
    let mut tallies = Vec::new();
    for suite in headless::suites(repo)? {
        if wanted(&suite.name) {
            tallies.push(headless::run(&stage, &suite)?);
        }
    }
    if wanted("screen") {
        tallies.push(screen::run(&stage));
    }
    Ok(tallies.into_iter().sum())
}

/// Draws the picture of the plugin's README.
pub(crate) fn screenshot(repo: &Repo) -> Result<()> {
    let cells = screen::of_hover(&Stage::set(repo)?)?;
    picture::draw(repo, &cells, &repo.path("editors/nvim/screenshot.png"))
}
