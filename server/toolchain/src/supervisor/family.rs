//! The processes that a tool has started, and theirs.
//!
//! A process that takes a session of its own leaves the tool's group. On Linux the supervisor is the parent of all that
//! the tool leaves behind, so it finds them; elsewhere they live on.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Kills a tool with its group.
pub(super) fn end_group(group: Pid) {
    // Fails where nothing of it is left.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Waits until a child ends. It is not yet forgotten by the system then, so that its group's number stays its own.
pub(super) fn wait_for_end(child: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(child), options) {}
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() {}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_all() {}

#[cfg(target_os = "linux")]
pub(super) use linux::{adopt, end_all};

#[cfg(target_os = "linux")]
mod linux {
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};
    use std::collections::HashMap;
    use std::time::{Duration, Instant};

    /// How long the killed may take to end: one that waits for a driver does not end at once.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// From now on what the tool leaves behind is this process's child.
    pub(in super::super) fn adopt() {
        // Where the system refuses, the tool's group is ended all the same.
        let _ = set_child_subreaper(Some(getpid()));
    }

    /// Kills all descendants, until none is left.
    pub(in super::super) fn end_all() {
        let end = Instant::now() + PATIENCE;
        loop {
            for process in descendants() {
                // Fails where it has ended meanwhile.
                let _ = kill_process(process, Signal::KILL);
            }
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) | Err(Errno::INTR) => {}
                    Ok(None) => break,
                    // No child is left.
                    Err(_) => return,
                }
            }
            if Instant::now() > end {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn descendants() -> Vec<Pid> {
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(number) = number else { continue };
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            if let Some(parent) = parent(&stat) {
                children.entry(parent).or_default().push(number);
            }
        }
        let mut found = Vec::new();
        let mut pending = vec![getpid().as_raw_pid()];
        while let Some(process) = pending.pop() {
            let own = children.remove(&process).unwrap_or_default();
            found.extend(own.iter().filter_map(|number| Pid::from_raw(*number)));
            pending.extend(own);
        }
        found
    }

    /// The parent of a process by its `/proc/<pid>/stat`: the second word behind the name, which may hold anything.
    fn parent(stat: &str) -> Option<i32> {
        let (_, behind) = stat.rsplit_once(')')?;
        behind.split_whitespace().nth(1)?.parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_parent_stands_behind_whatever_name() {
            assert_eq!(parent("12 (a) S 7 12 12 0"), Some(7));
            assert_eq!(parent("12 (a) b) S 1 (c) Z 8 12"), Some(8));
            assert_eq!(parent("12 (a"), None);
        }
    }
}
