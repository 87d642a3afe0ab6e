//! A terminal with a Neovim, whose screen can be read.

use super::stage::Stage;
use crate::command::Run;
use crate::screenshot_style::ScreenshotStyle;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

const ROWS: u16 = 52;
/// Number of terminal columns in a screenshot for a README: enough for an instruction, its encoding and its hints in
/// one row.
const COLUMNS: u16 = 170;
const PATIENCE: Duration = Duration::from_secs(40);
const PAUSE: Duration = Duration::from_millis(100);

/// Counts terminals. Each has its own socket, because the previous one may not have ended yet.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A terminal with a Neovim, which ends when the value is dropped.
pub(super) struct Terminal<'a> {
    stage: &'a Stage<'a>,
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    /// Opens a file of the repository in a new terminal, after Neovim has run the commands `first`.
    pub(super) fn open(stage: &'a Stage<'a>, file: &str, first: &[&str]) -> Result<Self> {
        let home = stage.home("screen")?;
        // A socket's path is limited to about a hundred bytes, which is less than the path of many build
        // folders.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = std::env::temp_dir().join(format!("warplens-screen-{}-{number}", std::process::id()));
        let terminal = Self { stage, socket };
        let mut command = terminal.tmux();
        command.args(["-f", "/dev/null", "new-session", "-d", "-x"]).arg(columns(stage.look).to_string());
        command.arg("-y").arg(ROWS.to_string()).arg("--").arg("env").arg("COLORTERM=truecolor");
        for (name, value) in stage.environment(&home)? {
            let mut assignment = OsString::from(name);
            assignment.push("=");
            assignment.push(value);
            command.arg(assignment);
        }
        command.args(stage.words());
        command.arg("--cmd").arg(format!("set background={}", stage.look.theme()));
        command.args(first.iter().flat_map(|line| ["--cmd", line]));
        command.arg(stage.repo.path(file));
        command.ok()?;
        Ok(terminal)
    }

    fn tmux(&self) -> Command {
        let mut command = self.stage.neovim.tmux();
        command.env("LANG", "C.UTF-8").env_remove("TMUX").arg("-u").arg("-S").arg(&self.socket);
        command
    }

    pub(super) fn press(&self, keys: &[&str]) -> Result<()> {
        self.tmux().arg("send-keys").args(keys).ok()
    }

    /// Types a text character by character.
    pub(super) fn type_in(&self, letters: &str) -> Result<()> {
        self.tmux().args(["send-keys", "-l", letters]).ok()
    }

    /// The rows as text.
    pub(super) fn rows(&self) -> Result<String> {
        self.tmux().args(["capture-pane", "-p"]).text()
    }

    /// The rows with their colours, as escape sequences.
    pub(super) fn cells(&self) -> Result<String> {
        self.tmux().args(["capture-pane", "-p", "-e", "-N"]).text()
    }

    /// Column and row of the cursor, counted from 0: `COLUMN,ROW`.
    pub(super) fn cursor(&self) -> Result<String> {
        let place = self.tmux().args(["display-message", "-p", "#{cursor_x},#{cursor_y}"]).text()?;
        Ok(place.trim().to_owned())
    }

    /// Waits until `wrong` returns `Ok` for the rows. `Err` with the last error of `wrong` after
    /// [`PATIENCE`].
    pub(super) fn wait(&self, wrong: impl Fn(&str) -> Result<()>) -> Result<()> {
        let start = Instant::now();
        loop {
            let rows = self.rows()?;
            match wrong(&rows) {
                Ok(()) => return Ok(()),
                Err(why) if start.elapsed() > PATIENCE => bail!("{why}; on screen:\n{rows}"),
                Err(_) => sleep(PAUSE),
            }
        }
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // Fails only if the terminal has already ended.
        let _ = self.tmux().arg("kill-server").text();
    }
}

/// Number of terminal columns in a window of this width, at the font size of the READMEs' screenshots.
fn columns(look: ScreenshotStyle) -> u32 {
    u32::from(COLUMNS) * u32::from(look.width) / u32::from(ScreenshotStyle::README.width)
}
