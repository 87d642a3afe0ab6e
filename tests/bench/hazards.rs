//! Time from a keystroke in a control code until its hazard is shown or removed.

use crate::server::Server;
use crate::{VISIBLE_LINES, listing, millis, percentile};
use std::time::{Duration, Instant};

const EDITS: usize = 200;
/// Pause for the server's background work on a newly opened document.
const BEFORE: Duration = Duration::from_secs(4);
/// Longest acceptable waiting time.
const BAR_MS: f64 = 60.0;
const RULE: &str = "unwaited-result";

/// Times until the findings of an edit arrived, ascending.
pub(crate) fn ask(lines: usize) -> Vec<Duration> {
    let mut text = listing::of_lines(lines);
    let mut server = Server::start();
    server.open(&text);
    server.hints(0, VISIBLE_LINES);
    std::thread::sleep(BEFORE);
    let place = listing::waiting(&text, lines / 2);
    let mut number = 0;
    let mut edit = |server: &mut Server, waits: bool| {
        number += 1;
        let edit = listing::wait_edit(&mut text, place, waits, number);
        server.change(&edit);
    };
    let mut times: Vec<Duration> = (0..EDITS)
        .map(|number| {
            let waits = number % 2 == 1;
            let sent = Instant::now();
            edit(&mut server, waits);
            while (server.findings(RULE, place - 1) == 0) != waits {}
            sent.elapsed()
        })
        .collect();
    times.sort_unstable();
    server.stop();
    times
}

pub(crate) fn print(lines: usize, times: &[Duration]) {
    let (median, p99) = (millis(percentile(times, 50)), millis(percentile(times, 99)));
    println!(
        "\nkeystroke to hazard diagnostics at {lines} lines: median {median:.2} ms, p99 {p99:.2} ms (bar: {BAR_MS} ms)"
    );
}
