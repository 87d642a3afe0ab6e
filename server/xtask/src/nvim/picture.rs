//! Draws a terminal's cells as a PNG, with Pillow and a font from Debian.

use crate::clients::monospace_fonts;
use crate::command::Run;
use crate::repo::Repo;
use crate::screenshot_style::ScreenshotStyle;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Any version with `quantize` works. The version is pinned, so pictures do not change with a new release.
const PILLOW: &str = "pillow==13.0.0";

/// The drawing script, with its Python and its fonts.
#[derive(Debug)]
pub(super) struct Renderer {
    python: PathBuf,
    script: PathBuf,
    fonts: PathBuf,
    /// The file that the script reads the cells from.
    cells: PathBuf,
}

impl Renderer {
    /// Installs the missing programs. Needs python3 with its venv module.
    pub(super) fn prepare(repo: &Repo) -> Result<Self> {
        let environment = repo.tools().join("pillow");
        let python = environment.join("bin/python");
        if !python.exists() {
            Command::new("python3").args(["-m", "venv"]).arg(&environment).ok()?;
        }
        if Command::new(&python).args(["-c", "import PIL"]).text().is_err() {
            Command::new(environment.join("bin/pip")).args(["install", "--quiet", PILLOW]).ok()?;
        }
        Ok(Self {
            python,
            script: repo.path("tests/e2e/nvim/draw_terminal.py"),
            fonts: monospace_fonts(repo)?,
            cells: repo.target()?.join("screen.ansi"),
        })
    }

    /// Draws a screen into the file `png`. `cells` is the screen's text with escape sequences for colours, and
    /// `cursor` is the cursor position as `COLUMN,ROW`.
    pub(super) fn draw(&self, cells: &str, cursor: &str, png: &Path, look: ScreenshotStyle) -> Result<()> {
        fs::write(&self.cells, cells)?;
        Command::new(&self.python)
            .arg(&self.script)
            .arg(&self.cells)
            .arg(&self.fonts)
            .arg(png)
            .arg(cursor)
            .arg(look.theme())
            .ok()
            .context("the picture could not be drawn")
    }
}
