//! The descendants of a tool: processes that the tool started, directly or indirectly.
//!
//! A process that starts a new session leaves the tool's process group. On Linux the supervisor becomes the
//! parent of all orphans of the tool, and so finds them. On other systems such orphans keep running.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(not(target_os = "linux"))]
use std::path::Path;

/// Kills all processes of a tool's process group.
pub(super) fn end_group(group: Pid) {
    // Fails if the group has ended.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Waits until a child ends. Does not reap the child, so that the system does not reuse its group's number.
pub(super) fn wait_for_end(child: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(child), options) {}
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() {}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_all() {}

/// Kills the process group of a tool whose supervisor was killed.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_left(group: Option<Pid>, _: Option<&Path>) {
    if let Some(group) = group {
        end_group(group);
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::end_left;
#[cfg(target_os = "linux")]
pub(super) use linux::{adopt, end_all};

#[cfg(target_os = "linux")]
mod linux {
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};
    use std::collections::HashMap;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// Longest time until killed processes have ended. A process that waits for a driver may take a while.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Makes this process the parent of all processes that the tool orphans from now on.
    pub(in super::super) fn adopt() {
        // If the system refuses, the tool's group is killed nevertheless.
        let _ = set_child_subreaper(Some(getpid()));
    }

    /// Kills all descendants, until no descendant is left.
    pub(in super::super) fn end_all() {
        let end = Instant::now() + PATIENCE;
        loop {
            for process in descendants() {
                // Fails if the process has already ended.
                let _ = kill_process(process, Signal::KILL);
            }
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) | Err(Errno::INTR) => {}
                    Ok(None) => break,
                    // There are no children left.
                    Err(_) => return,
                }
            }
            if Instant::now() > end {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the processes that a killed supervisor has not stopped, until all have ended: the process group
    /// of its tool, processes whose `TMPDIR` is the private folder, and the descendants of these processes.
    pub(crate) fn end_left(group: Option<Pid>, temporary: Option<&Path>) {
        let place = temporary.map(|folder| [b"TMPDIR=", folder.as_os_str().as_bytes()].concat());
        let end = Instant::now() + PATIENCE;
        loop {
            let all = processes();
            let is_left = |process: &Process| {
                group.is_some_and(|group| process.group == group.as_raw_pid())
                    || place.as_ref().is_some_and(|place| has_in_environment(process.number, place))
            };
            let roots: Vec<i32> =
                all.iter().filter(|process| is_left(process)).map(|process| process.number).collect();
            let own = getpid().as_raw_pid();
            let left: Vec<Pid> = roots
                .iter()
                .filter_map(|number| Pid::from_raw(*number))
                .chain(below(&all, roots.clone()))
                .filter(|process| process.as_raw_pid() != own)
                .collect();
            if left.is_empty() || Instant::now() > end {
                return;
            }
            for process in left {
                // Fails if the process has already ended.
                let _ = kill_process(process, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// True if a live process has this setting in its environment. False for other users' processes.
    fn has_in_environment(number: i32, setting: &[u8]) -> bool {
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|own| own == setting)
    }

    fn descendants() -> Vec<Pid> {
        below(&processes(), vec![getpid().as_raw_pid()])
    }

    /// A process that has not ended.
    struct Process {
        number: i32,
        parent: i32,
        group: i32,
    }

    fn processes() -> Vec<Process> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(number) = number else { continue };
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            if let Some((parent, group)) = parent_and_group(&stat) {
                found.push(Process { number, parent, group });
            }
        }
        found
    }

    /// The descendants of the processes `pending`.
    fn below(all: &[Process], mut pending: Vec<i32>) -> Vec<Pid> {
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for process in all {
            children.entry(process.parent).or_default().push(process.number);
        }
        let mut found = Vec::new();
        while let Some(process) = pending.pop() {
            let own = children.remove(&process).unwrap_or_default();
            found.extend(own.iter().filter_map(|number| Pid::from_raw(*number)));
            pending.extend(own);
        }
        found
    }

    /// The parent and the group of a process, read from its `/proc/<pid>/stat`. They are the second and third
    /// word after the process name, which may contain any characters. `None` for a zombie.
    fn parent_and_group(stat: &str) -> Option<(i32, i32)> {
        let (_, following) = stat.rsplit_once(')')?;
        let mut words = following.split_whitespace();
        words.next().filter(|state| *state != "Z")?;
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_parent_follows_any_process_name() {
            assert_eq!(parent_and_group("12 (a) S 7 12 13 0"), Some((7, 12)));
            assert_eq!(parent_and_group("12 (a) b) S 1 (c) S 8 12"), Some((8, 12)));
            assert_eq!(parent_and_group("12 (a) Z 7 12 13 0"), None);
            assert_eq!(parent_and_group("12 (a"), None);
        }
    }
}
