//! `cargo xtask bench --parse [FILE]...`: parsing of SASS text to full trees, on one thread.
//!
//! For each listing of the corpus (this repository's and, if available, those in `../shared`), or for the
//! given files, prints the size and the MB (10^6 bytes of text) per second that [`Listing::parse`] processes,
//! by the median and by the best of its passes. On a machine with other load, compare the best values.

#[path = "../corpus/files.rs"]
#[expect(dead_code, reason = "tests look for single files, too")]
mod files;

use files::Sample;
use std::hint::black_box;
use std::time::{Duration, Instant};
use syntax::sass::Listing;

/// Passes over one file: as many as fit into the time, but at least this number.
const MIN_PASSES: usize = 9;
const TIME: Duration = Duration::from_millis(200);
/// Files smaller than this are dominated by timer resolution and caches.
const SHORTEST: usize = 4096;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` also runs this benchmark, to check that it works.
    let full = arguments.iter().any(|argument| argument == "--bench");
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let samples = if named.is_empty() { files::all() } else { read(&named) };
    let time = if full { TIME } else { Duration::ZERO };
    println!("{:>9} {:>8} {:>8}  full trees on one thread, {} files", "KB", "MB/s", "best", samples.len());
    let mut measured: Vec<(Speed, &Sample)> = samples
        .iter()
        .filter(|sample| !named.is_empty() || sample.text.len() >= SHORTEST)
        .map(|sample| (speed(&sample.text, time), sample))
        .collect();
    measured.sort_by(|a, b| a.0.median.total_cmp(&b.0.median));
    for (Speed { median, best }, sample) in &measured {
        println!("{:>9.1} {median:>8.0} {best:>8.0}  {}", sample.text.len() as f64 / 1e3, sample.name);
    }
    if let Some((Speed { median, best }, sample)) = measured.first() {
        println!("lowest: {median:.0} MB/s, at best {best:.0} MB/s, {}", sample.name);
    }
}

/// Throughput in megabytes per second.
struct Speed {
    median: f64,
    best: f64,
}

fn read(names: &[&String]) -> Vec<Sample> {
    let text = |name: &str| std::fs::read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let sample = |name: &&String| Sample {
        name: (*name).clone(),
        text: String::from_utf8_lossy(&text(name)).into_owned(),
    };
    names.iter().map(sample).collect()
}

fn speed(text: &str, time: Duration) -> Speed {
    let started = Instant::now();
    let mut passes = Vec::new();
    while passes.len() < MIN_PASSES || started.elapsed() < time {
        let began = Instant::now();
        let listing = Listing::parse(black_box(text));
        passes.push(began.elapsed());
        black_box(listing);
    }
    passes.sort_unstable();
    let megabytes = text.len() as f64 / 1e6;
    let of = |pass: Duration| megabytes / pass.as_secs_f64();
    Speed { median: of(passes[passes.len() / 2]), best: of(passes[0]) }
}
