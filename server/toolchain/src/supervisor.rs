//! A process between this process and a tool. It ensures that the tool outlives neither process.
//!
//! The supervisor is this program, started with [`WORD`]. Its standard input is a socket, called the leash.
//! The tool is stopped when its owner requests it, when its time limit is exceeded, and when the socket
//! closes because the owner has died. In the last case the supervisor also removes the private folder,
//! because no other process will. The supervisor has a separate process group, so that a signal that a
//! terminal sends to the owner's group does not end the supervisor first. If a supervisor is killed, its
//! owner stops the tool.

pub(crate) mod family;

use crate::Limits;
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// First argument of a supervisor. The following arguments are the time limit in milliseconds, the memory
/// limit in bytes (0 for no limit), the folder to remove (may be empty), the program, and the program's
/// arguments.
const WORD: &str = "--supervise-a-tool";

/// Prefix of the line that a supervisor writes once its tool runs. The number of the tool's process group
/// follows the prefix.
const STARTED: &str = "started ";

/// The byte that the owner writes to stop the tool. Source: the supervisor's own protocol.
const STOP: u8 = b's';

/// Path of this program, set once it is known that the program can supervise.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Runs the supervisor if this process was started as a supervisor, and returns its exit code. In any other
/// process returns `None`, and later runs are supervised. Must be called first in `main`.
pub fn supervise_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == WORD) {
        return Some(supervise(arguments));
    }
    // The link refers to this program even if the program file has been replaced since.
    let link = Path::new("/proc/self/exe");
    let own = if link.exists() { Some(link.to_owned()) } else { std::env::current_exe().ok() };
    if let Some(own) = own {
        // Fails if the path is already set, to the same value.
        drop(PROGRAM.set(own));
    }
    None
}

/// End of a tool, as reported by its supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    Ended(ExitStatus),
    TookTooLong,
    NotStarted(String),
}

/// The owner's end of the leash.
#[derive(Debug)]
pub(crate) struct Leash(UnixStream);

impl Leash {
    /// The command that starts a supervisor for a tool; `None` if this program cannot supervise. The
    /// supervisor removes `folder` if this process dies.
    pub(crate) fn command(
        program: &Path,
        arguments: &[&OsStr],
        folder: Option<&Path>,
        limits: Limits,
    ) -> io::Result<Option<(Command, Self)>> {
        let Some(own) = PROGRAM.get() else { return Ok(None) };
        let (ours, its) = UnixStream::pair()?;
        let mut command = Command::new(own);
        let most = u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX);
        command.arg0("warplens").arg(WORD).arg(most.to_string());
        command.arg(limits.memory_bytes.unwrap_or(0).to_string());
        command.arg(folder.unwrap_or(Path::new(""))).arg(program).args(arguments);
        command.stdin(Stdio::from(OwnedFd::from(its)));
        Ok(Some((command, Self(ours))))
    }

    /// Requests that the supervisor stop the tool. Keeps the private folder.
    pub(crate) fn stop(&mut self) {
        // Fails if the supervisor has ended.
        drop(self.0.write_all(&[STOP]));
    }

    /// The report of an ended supervisor, and the process group of its tool. The report is `None` if the
    /// supervisor was killed or asked to stop.
    pub(crate) fn report(mut self) -> (Option<Report>, Option<Pid>) {
        let mut text = String::new();
        // The supervisor has ended, so reading does not block.
        drop(self.0.shutdown(Shutdown::Write));
        drop(self.0.read_to_string(&mut text));
        let started = text.strip_prefix(STARTED).and_then(|rest| rest.split_once('\n'));
        let (group, text) = started.map_or((None, text.as_str()), |(group, rest)| (Some(group), rest));
        let group = group.and_then(|group| group.parse().ok()).and_then(Pid::from_raw);
        (Self::read(text), group)
    }

    fn read(text: &str) -> Option<Report> {
        let (word, rest) = text.split_once(' ')?;
        match word {
            "ended" => rest.parse().ok().map(|raw| Report::Ended(ExitStatus::from_raw(raw))),
            "late" => Some(Report::TookTooLong),
            "unstarted" => Some(Report::NotStarted(rest.to_owned())),
            _ => None,
        }
    }
}

impl Report {
    fn text(&self) -> String {
        match self {
            Self::Ended(status) => format!("ended {}", status.into_raw()),
            Self::TookTooLong => "late ".to_owned(),
            Self::NotStarted(why) => format!("unstarted {why}"),
        }
    }
}

/// The events for which a supervisor waits.
enum Event {
    Ended,
    /// The owner has requested the end of the tool.
    Unwanted,
    /// The owner has died.
    Orphaned,
}

fn supervise(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let limit = arguments.next().and_then(|limit| limit.to_str()?.parse().ok()).map(Duration::from_millis);
    let memory = arguments.next().and_then(|bytes| bytes.to_str()?.parse::<u64>().ok());
    let (Some(limit), Some(memory), Some(folder), Some(program)) =
        (limit, memory, arguments.next(), arguments.next())
    else {
        return ExitCode::from(2);
    };
    if memory > 0 {
        let most = rustix::process::Rlimit { current: Some(memory), maximum: Some(memory) };
        // The tool and its children inherit the limit. If the system rejects the limit, only the time limit
        // applies.
        let _ = rustix::process::setrlimit(rustix::process::Resource::As, most);
    }
    let Ok(leash) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::from(2) };
    let mut leash = UnixStream::from(leash);
    family::adopt();
    // The tool has a separate process group. A closing terminal signals only the owner, and the leash reports
    // the owner's end.
    let started = Command::new(program).args(arguments).stdin(Stdio::null()).process_group(0).spawn();
    let mut tool = match started {
        Ok(tool) => tool,
        Err(error) => {
            drop(leash.write_all(Report::NotStarted(error.to_string()).text().as_bytes()));
            return ExitCode::SUCCESS;
        }
    };
    let group = Pid::from_child(&tool);
    drop(leash.write_all(format!("{STARTED}{}\n", group.as_raw_pid()).as_bytes()));
    let (events, event) = channel();
    if let Ok(mut leash) = leash.try_clone() {
        let events = events.clone();
        thread::spawn(move || {
            let mut word = [0];
            let said = loop {
                match leash.read(&mut word) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    said => break said,
                }
            };
            drop(events.send(if matches!(said, Ok(1)) { Event::Unwanted } else { Event::Orphaned }));
        });
    }
    thread::spawn(move || {
        family::wait_for_end(group);
        drop(events.send(Event::Ended));
    });
    let event = event.recv_timeout(limit);
    family::end_group(group);
    let status = tool.wait();
    family::end_all();
    let report = match (event, status) {
        (Ok(Event::Ended), Ok(status)) => Report::Ended(status),
        (Ok(Event::Ended), Err(error)) => Report::NotStarted(error.to_string()),
        (Err(RecvTimeoutError::Timeout), _) => Report::TookTooLong,
        (Ok(Event::Orphaned), _) => {
            // Only folders that this program has created are removed, even if another program started the
            // supervisor.
            let name = Path::new(&folder).file_name().unwrap_or_default();
            if name.to_string_lossy().starts_with(crate::folders::PREFIX) {
                drop(std::fs::remove_dir_all(folder));
            }
            return ExitCode::SUCCESS;
        }
        (Ok(Event::Unwanted) | Err(RecvTimeoutError::Disconnected), _) => return ExitCode::SUCCESS,
    };
    drop(leash.write_all(report.text().as_bytes()));
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        for report in [
            Report::Ended(ExitStatus::from_raw(3 << 8)),
            Report::Ended(ExitStatus::from_raw(9)),
            Report::TookTooLong,
            Report::NotStarted("no such file\nor folder".to_owned()),
        ] {
            let (ours, mut its) = UnixStream::pair().unwrap();
            its.write_all(format!("{STARTED}7\n{}", report.text()).as_bytes()).unwrap();
            drop(its);
            assert_eq!(Leash(ours).report(), (Some(report), Pid::from_raw(7)));
        }
        let (ours, mut its) = UnixStream::pair().unwrap();
        let unstarted = Report::NotStarted("no such file".to_owned());
        its.write_all(unstarted.text().as_bytes()).unwrap();
        drop(its);
        assert_eq!(Leash(ours).report(), (Some(unstarted), None));
        let (ours, its) = UnixStream::pair().unwrap();
        drop(its);
        assert_eq!(Leash(ours).report(), (None, None));
    }
}
