//! `cargo bench -p warplens --bench editing`: waiting times of a user, with the real binary.
//!
//! The texts are SASS listings of 10,000, 100,000 and 400,000 lines and PTX modules of the first two lengths.
//! All kernels differ. The benchmark measures the time from opening to the first hints, the time from an edit
//! in the middle to the hints of 60 visible lines (200 edits, each resulting in a new text), and the server's
//! peak memory; then, at 100,000 lines, the time from an edit of a control code to its hazards, and single
//! requests, for PTX at 20,000 lines and also during typing; last the costs of long texts, see `growth`. All
//! Boolean settings are on. Absolute times depend on the machine; the ratios are from one run.

#![expect(clippy::disallowed_methods, reason = "it reads its own files and those of /proc")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[path = "../e2e/framing.rs"]
mod framing;
mod growth;
mod hazards;
mod listing;
mod module;
mod questions;
mod server;
mod settings;

use listing::{Edit, Listing};
use server::Server;
use std::time::{Duration, Instant};

const EDITS: usize = 200;
const VISIBLE_LINES: usize = 60;

/// Measurements for one listing.
struct Measured {
    lines: usize,
    bytes: usize,
    open_to_hints: Duration,
    median: Duration,
    p99: Duration,
    peak_memory_mb: f64,
}

fn main() {
    // `cargo test --benches` also runs this benchmark, to check that it works: one small listing is enough
    // for this check.
    let full = std::env::args().any(|argument| argument == "--bench");
    let sizes: &[usize] = if full { &[10_000, 100_000, 400_000] } else { &[2_000] };
    table("SASS", sizes, listing::of_lines, listing::edit);
    table("PTX", &sizes[..sizes.len().min(2)], module::of_lines, module::edit);
    let lines = if full { 100_000 } else { 2_000 };
    hazards::print(lines, &hazards::ask(lines));
    questions::print(&format!("{lines} lines of SASS"), &questions::ask(&listing::of_lines(lines)));
    let lines = if full { 20_000 } else { 2_000 };
    let functions = format!("{lines} lines of PTX");
    let whole = format!("{lines} lines of PTX in one function");
    for (what, mut text) in [(functions, module::of_lines(lines)), (whole, module::of_one_function(lines))] {
        let mut asked = questions::ask(&text);
        asked.extend(questions::ask_while_typing(&mut text, module::edit));
        questions::print(&what, &asked);
    }
    growth::print(full);
}

type Make = fn(usize) -> Listing;
type Change = fn(&mut Listing, usize, usize) -> Edit;

/// Measures texts of these lengths and prints a row for each.
fn table(language: &str, sizes: &[usize], make: Make, change: Change) {
    let measured: Vec<Measured> = sizes.iter().map(|&lines| measure(make(lines), change)).collect();
    println!(
        "{language:>4} {:>8} {:>8} {:>14} {:>12} {:>12} {:>12}",
        "lines", "MB", "open to hints", "edit median", "edit p99", "peak memory"
    );
    for m in &measured {
        println!(
            "{:>13} {:>8.1} {:>11.0} ms {:>9.2} ms {:>9.2} ms {:>9.0} MB",
            m.lines,
            m.bytes as f64 / 1e6,
            millis(m.open_to_hints),
            millis(m.median),
            millis(m.p99),
            m.peak_memory_mb,
        );
    }
    if let [first, .., last] = measured.as_slice() {
        println!(
            "edit p99, {} lines / {} lines: {:.2}",
            last.lines,
            first.lines,
            millis(last.p99) / millis(first.p99)
        );
    }
}

fn measure(mut text: Listing, change: Change) -> Measured {
    let lines = text.lines();
    let mut server = Server::start();
    let middle = lines / 2;
    let first = middle - VISIBLE_LINES / 2;
    let least = if text.language == "ptx" { 2 } else { 3 };

    let opened = Instant::now();
    server.open(&text);
    let hints = server.hints(first, VISIBLE_LINES);
    let open_to_hints = opened.elapsed();
    assert!(!hints.is_empty(), "an opened listing has hints");

    let mut times = Vec::with_capacity(EDITS);
    for number in 0..EDITS {
        let edit = change(&mut text, middle, number);
        let sent = Instant::now();
        server.change(&edit);
        let hints = server.hints(first, VISIBLE_LINES);
        times.push(sent.elapsed());
        let own = hints.iter().filter(|hint| hint.line as usize == edit.line).count();
        assert!(own >= least, "the edited line has its latency, its cycle and, in SASS, its live registers");
    }
    times.sort_unstable();
    let peak_memory_mb = server.peak_memory_mb();
    server.stop();
    Measured {
        lines,
        bytes: text.text.len(),
        open_to_hints,
        median: percentile(&times, 50),
        p99: percentile(&times, 99),
        peak_memory_mb,
    }
}

/// A percentile of sorted times.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() * percent).div_ceil(100) - 1]
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
