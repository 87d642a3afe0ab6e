//! Neovim on a screen: in a terminal that can be read back.

use super::drawn;
use super::stage::Stage;
use crate::ci::Tally;
use crate::command::Run;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Columns and rows. Wide enough for an instruction, its encoding and its hints in one row.
const SIZE: (u16, u16) = (170, 52);
const PATIENCE: Duration = Duration::from_secs(40);
const PAUSE: Duration = Duration::from_millis(100);

/// A terminal with a Neovim in it; ends with it.
struct Terminal<'a> {
    stage: &'a Stage<'a>,
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    /// Opens a file of the repository in a new terminal.
    fn open(stage: &'a Stage<'a>, file: &str) -> Result<Self> {
        let home = stage.home("screen")?;
        // A socket's path has room for about a hundred bytes, fewer than many a build folder's.
        let socket = std::env::temp_dir().join(format!("warplens-screen-{}", std::process::id()));
        let terminal = Self { stage, socket };
        let mut command = terminal.tmux();
        command.args(["-f", "/dev/null", "new-session", "-d", "-x"]).arg(SIZE.0.to_string());
        command.arg("-y").arg(SIZE.1.to_string()).arg("--").arg("env").arg("COLORTERM=truecolor");
        for (name, value) in stage.environment(&home)? {
            let mut assignment = OsString::from(name);
            assignment.push("=");
            assignment.push(value);
            command.arg(assignment);
        }
        command.args(stage.words()).arg(stage.repo.path(file));
        command.ok()?;
        Ok(terminal)
    }

    fn tmux(&self) -> Command {
        let mut command = self.stage.neovim.tmux();
        command.env("LANG", "C.UTF-8").env_remove("TMUX").arg("-u").arg("-S").arg(&self.socket);
        command
    }

    fn press(&self, keys: &[&str]) -> Result<()> {
        self.tmux().arg("send-keys").args(keys).ok()
    }

    /// The rows as text.
    fn rows(&self) -> Result<String> {
        self.tmux().args(["capture-pane", "-p"]).text()
    }

    /// The rows with their colours, as a terminal is told them.
    fn cells(&self) -> Result<String> {
        self.tmux().args(["capture-pane", "-p", "-e", "-N"]).text()
    }

    /// Waits until `wrong` finds nothing wrong with the rows.
    fn wait(&self, wrong: impl Fn(&str) -> Result<(), String>) -> Result<()> {
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
        // Fails only where the terminal has gone already.
        let _ = self.tmux().arg("kill-server").text();
    }
}

const SM_90: &str = "tests/corpus/sm_90/sgemm.cuobjdump-sass.txt";
const SM_35: &str = "tests/corpus/sm_35/sgemm.cuobjdump-sass.txt";

/// What is tried, and what tries it.
type Case = (&'static str, fn(&Stage) -> Result<()>);

const CASES: &[Case] = &[
    ("hints are drawn beside every instruction of sm_90", |stage| hints_of(stage, SM_90)),
    ("hints are drawn beside every instruction of sm_35", |stage| hints_of(stage, SM_35)),
    ("a lens is drawn over the kernel", |stage| Terminal::open(stage, SM_90)?.wait(drawn::lens)),
    ("a hover is drawn", |stage| of_hover(stage).map(drop)),
];

/// Opens listings on screen, and looks at what is drawn.
pub(super) fn run(stage: &Stage) -> Tally {
    println!("--- neovim: screen");
    CASES
        .iter()
        .map(|(name, case)| match case(stage) {
            Ok(()) => {
                println!("ok {name}");
                Tally::of(true)
            }
            Err(error) => {
                println!("not ok {name}\n{error:#}");
                Tally::failure()
            }
        })
        .sum()
}

fn hints_of(stage: &Stage, file: &str) -> Result<()> {
    let listing = std::fs::read_to_string(stage.repo.path(file)).with_context(|| file.to_owned())?;
    Terminal::open(stage, file)?.wait(|rows| drawn::hints_beside_every_instruction(rows, &listing))
}

/// A listing with its hints and the hover of a load, with colours.
pub(super) fn of_hover(stage: &Stage) -> Result<String> {
    let listing = std::fs::read_to_string(stage.repo.path(SM_90))?;
    let terminal = Terminal::open(stage, SM_90)?;
    terminal.wait(|rows| drawn::hints_beside_every_instruction(rows, &listing))?;
    // The opcode of the ISETP at 0x80: it has modifiers, waits for a scoreboard, and leaves the window room below.
    terminal.press(&["23G0WWK"])?;
    terminal.wait(drawn::hover)?;
    // The cursor's own effects and the last hints come in after the hover.
    sleep(Duration::from_secs(1));
    terminal.cells()
}
