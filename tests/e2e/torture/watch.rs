//! Queries to the system about existing processes and their memory.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Processes whose private folder is in `temporary`: tools, their descendants, and their supervisors, each as
/// its number and command line. Zombies are excluded.
pub(crate) fn tools_in(temporary: &Path) -> Vec<String> {
    let variable = format!("TMPDIR={}/warplens-", temporary.display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("Linux has it").flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|one| one.starts_with(variable.as_bytes())) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(format!("{} {line}", entry.file_name().to_string_lossy()));
        }
    }
    found
}

/// Returns the names in a folder.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder exists").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Waits until a condition holds. Returns false if the condition does not hold within the time.
pub(crate) fn within(time: Duration, is_so: impl Fn() -> bool) -> bool {
    let end = Instant::now() + time;
    while !is_so() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Sends a signal by name, such as `TERM`.
pub(crate) fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([format!("-{name}"), process.to_string()]).status();
    assert!(sent.expect("there is a `kill`").success(), "{name} to {process}");
}

/// Current and peak memory of a process in megabytes.
pub(crate) fn memory_mb(process: u32) -> (f64, f64) {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process is there");
    let megabytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("Linux reports it");
        let kilobytes: f64 = line.trim_end_matches("kB").trim().parse().expect("a number");
        kilobytes / 1024.0
    };
    (megabytes("VmRSS:"), megabytes("VmHWM:"))
}

/// Processor time that a process has used.
pub(crate) fn busy_ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process is there");
    let (_, following) = stat.rsplit_once(')').expect("its name is in parentheses");
    let fields: Vec<&str> = following.split_whitespace().collect();
    [11, 12].iter().map(|field| fields[*field].parse::<u64>().expect("a number")).sum()
}

/// Number of files that a process has open.
pub(crate) fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).expect("the test started the process").count()
}
