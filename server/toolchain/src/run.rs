//! One run of one program.

use crate::{Consent, ToolError};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a run may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    /// Of its standard output.
    pub output_bytes: usize,
}

impl Default for Limits {
    /// Enough for the largest listing seen, ten times over: 600,000 instructions are 150 MB, printed in 10 s.
    fn default() -> Self {
        Self { time: Duration::from_mins(2), output_bytes: 1 << 30 }
    }
}

/// What of the standard error is kept, for the message.
const ERROR_BYTES: usize = 1 << 14;

/// How often a run is looked at: at first often, so that a short one is over at once.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LATER_LOOK: Duration = Duration::from_millis(20);

/// What a program left that came to its end by itself.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    /// The first of what it wrote to its standard error, as many bytes as were asked for.
    pub(crate) errors: Vec<u8>,
    /// It wrote more errors than that.
    pub(crate) more_errors: bool,
}

/// Runs a program to its end and gives what it wrote to its standard output. `Err` where it says that it failed.
pub(crate) fn run(
    consent: Consent,
    program: &Path,
    arguments: &[&OsStr],
    folder: &Path,
    limits: Limits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ToolError> {
    let ended = run_to_end(consent, program, arguments, folder, limits, ERROR_BYTES, cancelled)?;
    if ended.status.success() { Ok(ended.output) } else { Err(failed(name(program), &ended)) }
}

/// Runs a program to its end, whatever it says of it.
///
/// It has no input, and the folder is its current one and its place for temporary files. It and all that it
/// started are killed when it ends, takes too long, writes too much, or `cancelled` says so.
pub(crate) fn run_to_end(
    _: Consent,
    program: &Path,
    arguments: &[&OsStr],
    folder: &Path,
    limits: Limits,
    error_bytes: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Ended, ToolError> {
    let name = name(program);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.env("TMPDIR", folder).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .map_err(|error| ToolError::NotStarted { program: name.clone(), why: error.to_string() })?;
    let too_much = Arc::new(AtomicBool::new(false));
    let output = child.stdout.take().expect("it was asked for");
    let output = {
        let too_much = Arc::clone(&too_much);
        thread::spawn(move || {
            let (bytes, more) = read_up_to(output, limits.output_bytes);
            too_much.store(more, Ordering::Release);
            bytes
        })
    };
    let errors = child.stderr.take().expect("it was asked for");
    let errors = thread::spawn(move || {
        let mut errors = errors;
        let kept = read_up_to(&mut errors, error_bytes);
        // The rest is read too, or the program would wait for a reader.
        drop(std::io::copy(&mut errors, &mut std::io::sink()));
        kept
    });
    let start = Instant::now();
    let mut look = FIRST_LOOK;
    let stopped = loop {
        if too_much.load(Ordering::Acquire) {
            break Some(ToolError::TooMuch { program: name.clone(), limit: limits.output_bytes });
        }
        if has_ended(&mut child) {
            break None;
        }
        if cancelled() {
            break Some(ToolError::Cancelled { program: name.clone() });
        }
        if start.elapsed() > limits.time {
            break Some(ToolError::TooLong { program: name.clone(), limit: limits.time });
        }
        thread::sleep(look);
        look = (look * 2).min(LATER_LOOK);
    };
    kill_all(&mut child);
    let status = child.wait();
    // With everything killed that could hold the pipes open, both come to their end.
    let output = output.join().unwrap_or_default();
    let (errors, more_errors) = errors.join().unwrap_or_default();
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    if too_much.load(Ordering::Acquire) {
        return Err(ToolError::TooMuch { program: name, limit: limits.output_bytes });
    }
    match status {
        Ok(status) => Ok(Ended { status, output, errors, more_errors }),
        Err(error) => Err(ToolError::NotStarted { program: name, why: error.to_string() }),
    }
}

/// What was read, and whether there was more.
fn read_up_to(mut from: impl Read, most: usize) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    // An error of reading ends the output as its end does; the exit status tells the rest.
    drop(from.by_ref().take(most as u64 + 1).read_to_end(&mut bytes));
    let more = bytes.len() > most;
    bytes.truncate(most);
    (bytes, more)
}

fn name(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// The failure of a program that says of itself that it failed.
pub(crate) fn failed(program: String, ended: &Ended) -> ToolError {
    let text = String::from_utf8_lossy(&ended.errors);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or("it did not say why").chars().filter(|c| !c.is_control()).collect();
    ToolError::Failed { program, status: ended.status.to_string(), message: line }
}

/// Whether it has ended. It is not yet forgotten by the system then, so that its group's number stays its own.
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

/// Ends it and what it has started: `cuobjdump` runs `nvdisasm`.
#[cfg(unix)]
fn kill_all(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails where nothing of it is left.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_all(child: &mut Child) {
    drop(child.kill());
}
