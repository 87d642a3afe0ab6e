//! Handles signals that would end this process while a tool runs: the tool is stopped and its private folder removed
//! first.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::c_int;
use std::time::Duration;

/// Longest time for cleaning up. A supervisor stops its tool within two seconds.
const PATIENCE: Duration = Duration::from_secs(4);

/// Offset that shells add to a signal's number to form the exit code.
const FIRST_OF_SIGNALS: c_int = 128;

/// Makes signals stop all runs before they have their usual effect. A separate thread waits for signals, so
/// that work in progress cannot delay them. Ignored signals (`nohup`) stay ignored.
pub(crate) fn watch() {
    let ignored = ignored();
    let watched: Vec<c_int> =
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect();
    // Without the handler, signals have their default effect. The supervisor and the next run clean up.
    let Ok(mut signals) = Signals::new(watched) else { return };
    let watcher = std::thread::Builder::new().name("signals".to_owned());
    drop(watcher.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            crate::folders::hold_owners();
            crate::end_all(PATIENCE);
            // Does not return if the signal's default action ends the process, which is so for these signals.
            drop(emulate_default_handler(signal));
            std::process::exit(FIRST_OF_SIGNALS + signal);
        }
    }));
}

/// Bit mask of the signals that this process ignores: bit 0 for signal 1, and so on. 0 if the system does not report
/// ignored signals.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
