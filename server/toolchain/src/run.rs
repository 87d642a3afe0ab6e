//! Runs a program.

use crate::drain::{Drain, OverflowPolicy};
use crate::{Consent, ToolError, folders};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
#[cfg(unix)]
use {
    crate::supervisor::{Leash, Report, family},
    std::os::unix::process::{CommandExt, ExitStatusExt},
    std::path::PathBuf,
};

/// Limits on the resources of a run.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    /// Maximum size of the standard output.
    pub output_bytes: usize,
    /// Maximum address space of the program and of each program that it starts, in bytes. Enforced only if a supervisor
    /// starts the program.
    pub memory_bytes: Option<u64>,
}

impl Limits {
    /// Maximum address space of a compiler, in bytes: half of this machine's memory. Compilers run one at a time, and a
    /// large unit needs about a tenth of this size.
    pub fn memory_of_compiler() -> u64 {
        // limit: enough for small units, on machines with little memory.
        const MIN: u64 = 2 << 30;
        // limit: far more than a large unit needs.
        const MAX: u64 = 32 << 30;
        /// Maximum in bytes for systems that do not report their memory. limit: half of 16 GiB.
        const USUAL: u64 = 8 << 30;
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kibibytes = total.and_then(|total| total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kibibytes.map_or(USUAL, |kibibytes| (kibibytes.saturating_mul(1024) / 2).clamp(MIN, MAX))
    }

    /// Maximum size in bytes of a listing sent to an editor. limit: editors do not display longer documents as code.
    const EDITOR_BYTES: usize = 200 << 20;

    /// Limits for a listing that is shown in an editor.
    pub fn in_editor() -> Self {
        Self { output_bytes: Self::EDITOR_BYTES, ..Self::default() }
    }
}

impl Default for Limits {
    /// Returns limits of about ten times the needs of the largest known listing, whose 600,000 instructions take 150 MB
    /// and 10 s to print.
    fn default() -> Self {
        Self { time: Duration::from_mins(2), output_bytes: 1 << 30, memory_bytes: None }
    }
}

/// Maximum number of bytes of the standard error that are kept. limit: enough for a one-line message.
pub(crate) const ERROR_BYTES: usize = 1 << 14;

/// Time between the first two polls of a run. It is short, so that the end of a short run is noticed at once.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LATER_LOOK: Duration = Duration::from_millis(20);

/// Longest time that a supervisor may take to stop its tool.
#[cfg(unix)]
const STOPPING: Duration = Duration::from_secs(3);

/// Time for which the pipes of an ended tool are still read. Only a process that has left the tool's group
/// and could not be stopped still holds the pipes open.
const DRAINING: Duration = Duration::from_millis(500);

/// True once this process is about to end.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Stops all runs of this process and refuses new runs. Waits until their private folders are removed, but no
/// longer than `patience`.
pub fn end_all(patience: Duration) {
    ENDING.store(true, Ordering::Release);
    folders::wait_until_removed(patience);
}

/// Which bytes of the standard error are kept: the first or the last ones. The field is their maximum number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeptErrors {
    First(usize),
    Last(usize),
}

/// Result of a program that ended by itself.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    /// The requested bytes of the standard error.
    pub(crate) errors: Vec<u8>,
    /// True if the program wrote more to the standard error than was kept.
    pub(crate) more_errors: bool,
}

/// The folder in which a program runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunFolder<'a> {
    pub(crate) folder: &'a Path,
    /// The program's folder for temporary files.
    pub(crate) temporary: &'a Path,
    /// True if `temporary` must be removed when this process dies.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no other process can remove it on those systems"))]
    pub(crate) is_private: bool,
}

/// Runs a program to its end and returns its standard output. An exit status other than success is an error, too.
pub(crate) fn run(
    consent: Consent,
    program: &Path,
    arguments: &[&OsStr],
    place: RunFolder<'_>,
    limits: Limits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ToolError> {
    let errors = KeptErrors::First(ERROR_BYTES);
    let ended = run_to_end(consent, program, arguments, place, limits, errors, cancelled)?;
    if ended.status.success() { Ok(ended.output) } else { Err(failed(name(program), &ended)) }
}

/// Runs a program to its end, whether or not the program reports failure.
///
/// The program has no input and runs in the given folder. The program and all processes that it started are killed when
/// the program ends or exceeds its time or output limit, when `cancelled` returns true, and when this process ends.
pub(crate) fn run_to_end(
    _: Consent,
    program: &Path,
    arguments: &[&OsStr],
    place: RunFolder<'_>,
    limits: Limits,
    errors: KeptErrors,
    cancelled: &dyn Fn() -> bool,
) -> Result<FinishedRun, ToolError> {
    let name = name(program);
    let not_started = |why: String| ToolError::NotStarted { program: name.clone(), why };
    let mut run =
        Run::start(program, arguments, place, limits).map_err(|error| not_started(error.to_string()))?;
    let output = run.child.stdout.take().expect("standard output is piped");
    let output = Drain::start(output, limits.output_bytes, OverflowPolicy::Refused);
    let (most, beyond) = match errors {
        KeptErrors::First(most) => (most, OverflowPolicy::Forgotten),
        KeptErrors::Last(most) => (most, OverflowPolicy::Kept),
    };
    let errors = Drain::start(run.child.stderr.take().expect("standard error is piped"), most, beyond);
    let too_much = || ToolError::TooMuch { program: name.clone(), limit: limits.output_bytes };
    let too_long = || ToolError::TooLong { program: name.clone(), limit: limits.time };
    let start = Instant::now();
    let mut look = FIRST_LOOK;
    let stopped = loop {
        if output.has_more() {
            break Some(too_much());
        }
        if has_ended(&mut run.child) {
            break None;
        }
        if cancelled() || ENDING.load(Ordering::Acquire) {
            break Some(ToolError::Cancelled { program: name.clone() });
        }
        if start.elapsed() > limits.time {
            break Some(too_long());
        }
        thread::sleep(look);
        look = (look * 2).min(LATER_LOOK);
    };
    let how = run.finish(stopped.is_some());
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    let (output, more_output) = output.finish(DRAINING);
    let (errors, more_errors) = errors.finish(DRAINING);
    if more_output {
        return Err(too_much());
    }
    match how {
        RunOutcome::Ended(status) => Ok(FinishedRun { status, output, errors, more_errors }),
        #[cfg(unix)]
        RunOutcome::TookTooLong => Err(too_long()),
        RunOutcome::Unknown(why) => Err(not_started(why)),
    }
}

/// A running program.
#[derive(Debug)]
struct Run {
    /// The program itself, or its supervisor.
    child: Child,
    #[cfg(unix)]
    leash: Option<Leash>,
    /// The private folder to remove when the run ends.
    #[cfg(unix)]
    private: Option<PathBuf>,
}

/// Result of a run.
#[derive(Debug)]
enum RunOutcome {
    Ended(ExitStatus),
    #[cfg(unix)]
    TookTooLong,
    /// The end of the run is unknown. The text states the reason.
    Unknown(String),
}

impl Run {
    #[cfg(unix)]
    fn start(
        program: &Path,
        arguments: &[&OsStr],
        place: RunFolder<'_>,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let private = Some(place.temporary).filter(|_| place.is_private);
        let (mut command, leash) = match Leash::command(program, arguments, private, limits)? {
            Some((command, leash)) => (command, Some(leash)),
            None => (plain(program, arguments), None),
        };
        // A separate process group. A signal that a terminal sends to this process's group must reach neither
        // the supervisor, which has to clean up, nor processes of the tool.
        command.process_group(0);
        Ok(Self { child: spawn(command, place)?, leash, private: private.map(Path::to_owned) })
    }

    #[cfg(not(unix))]
    fn start(program: &Path, arguments: &[&OsStr], place: RunFolder<'_>, _: Limits) -> std::io::Result<Self> {
        Ok(Self { child: spawn(plain(program, arguments), place)? })
    }

    /// Stops all remaining processes of the run and returns how the run ended. `stopped` is true if the
    /// program did not end by itself.
    #[cfg(unix)]
    fn finish(mut self, stopped: bool) -> RunOutcome {
        let Some(mut leash) = self.leash.take() else {
            kill_all(&mut self.child);
            return RunOutcome::from_status(self.child.wait());
        };
        if stopped {
            leash.stop();
            let end = Instant::now() + STOPPING;
            while !has_ended(&mut self.child) && Instant::now() < end {
                thread::sleep(FIRST_LOOK);
            }
        }
        kill_all(&mut self.child);
        let status = self.child.wait();
        let (report, group) = leash.report();
        if report.is_none() && status.as_ref().is_ok_and(|status| status.signal().is_some()) {
            // The supervisor was killed, so only this process can stop the tool.
            family::end_left(group, self.private.as_deref());
        }
        match report {
            Some(Report::Ended(status)) => RunOutcome::Ended(status),
            Some(Report::TookTooLong) => RunOutcome::TookTooLong,
            Some(Report::NotStarted(why)) => RunOutcome::Unknown(why),
            None => RunOutcome::Unknown(match status {
                Ok(status) => format!("its supervisor process ended ({status})"),
                Err(error) => error.to_string(),
            }),
        }
    }

    #[cfg(not(unix))]
    fn finish(mut self, _: bool) -> RunOutcome {
        kill_all(&mut self.child);
        RunOutcome::from_status(self.child.wait())
    }
}

impl RunOutcome {
    fn from_status(status: std::io::Result<ExitStatus>) -> Self {
        status.map_or_else(|error| Self::Unknown(error.to_string()), Self::Ended)
    }
}

fn plain(program: &Path, arguments: &[&OsStr]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command
}

fn spawn(mut command: Command, place: RunFolder<'_>) -> std::io::Result<Child> {
    command.current_dir(place.folder).env("TMPDIR", place.temporary).env("LC_ALL", "C");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

fn name(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// The error for a program that reported failure. It contains the first line of the program's standard error.
pub(crate) fn failed(program: String, ended: &FinishedRun) -> ToolError {
    let text = String::from_utf8_lossy(&ended.errors);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    failed_with(program, ended, line)
}

/// The error for a program that failed. `line` states the reason.
pub(crate) fn failed_with(program: String, ended: &FinishedRun, line: Option<&str>) -> ToolError {
    /// Maximum number of characters in a message. limit: a message must fit one line on a screen.
    const MAX_CHARS: usize = 300;
    let line = line.unwrap_or("it gave no reason");
    let mut chars = line.chars().filter(|c| !c.is_control());
    let mut message: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        message.push('…');
    }
    ToolError::Failed { program, status: ended.status.to_string(), message }
}

/// True if the process has ended. The process is not reaped, so the system does not reuse its group number.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Kills the process and all processes that it started: `cuobjdump` runs `nvdisasm`.
#[cfg(unix)]
fn kill_all(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails if the group has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_all(child: &mut Child) {
    drop(child.kill());
}
