//! A terminal's cells as a PNG, by Pillow and a font of Debian's.

use crate::clients::monospace_fonts;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Draws `cells`, text with the escape sequences of colours, into `png`. Needs python3 with its venv module.
pub(super) fn draw(repo: &Repo, cells: &str, png: &Path) -> Result<()> {
    let python = repo.tools().join("pillow");
    if !python.join("bin/python").exists() {
        Command::new("python3").args(["-m", "venv"]).arg(&python).ok()?;
    }
    Command::new(python.join("bin/pip")).args(["install", "--quiet", "pillow"]).ok()?;
    let text = repo.target()?.join("screen.ansi");
    fs::write(&text, cells)?;
    Command::new(python.join("bin/python"))
        .arg(repo.path("tests/e2e/nvim/draw_terminal.py"))
        .arg(&text)
        .arg(monospace_fonts(repo)?)
        .arg(png)
        .ok()
        .context("the picture could not be drawn")?;
    println!("{}", png.display());
    Ok(())
}
