//! `cargo xtask bench --cuda`: time from an edit of a long `.cu` file to all findings of the file, without a
//! compiler.
//!
//! The text has some 20,000 lines: copies of this project's measured kernels and of the host code that
//! launches them, each copy with different names. Edits of several kinds are made at its beginning, its
//! middle and its end; each is timed from the edit to all findings. Some edits leave the text half typed, and
//! the next one completes it.

use ide::{Cancel, Config, Host, Language, TextEdit};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const KERNELS: &str = "measured/h100/cuda/lines.cu";
const LINES: usize = 20_000;
/// Limit of the 99th percentile of edit times, in milliseconds.
const BAR_MS: f64 = 30.0;

/// An edit: the text to search, the text to insert after it, and whether the result parses.
struct Kind {
    name: &'static str,
    following: &'static str,
    insert: &'static str,
}

const KINDS: [Kind; 7] = [
    Kind { name: "a number in a kernel", following: "v.x += 1", insert: "2" },
    Kind {
        name: "a statement in a kernel",
        following: "__syncthreads();",
        insert: " int added = 3; added += 1;",
    },
    Kind { name: "a comment", following: "{", insert: " // comment" },
    Kind { name: "a line between functions", following: "\n}\n", insert: "\n" },
    Kind { name: "an open brace", following: "if (i < n) ", insert: "{" },
    Kind { name: "an open parenthesis", following: "out[", insert: "(" },
    Kind { name: "an open quote", following: "int i = ", insert: "\"" },
];

fn main() {
    // `cargo test --benches` also runs this benchmark, to check that it works.
    let full = std::env::args().any(|argument| argument == "--bench");
    let (lines, rounds) = if full { (LINES, 20) } else { (600, 1) };
    let text = text(lines);
    let mut host = Host::default();
    let config = Config { gpu: "h100-sxm".to_owned(), ..Config::default() };
    host.configure(config).expect("the GPU is known");
    let start = Instant::now();
    host.open_as("x.cu", 0, Language::Cuda, &text);
    let found = findings(&host);
    println!(
        "{} lines, {} findings; opened and looked at in {:.0} ms",
        text.lines().count(),
        found,
        milliseconds(start.elapsed())
    );
    println!(
        "{:<28} {:>8} {:>8} {:>8} {:>8}",
        "edit to all findings, ms", "edits", "median", "p99", "largest"
    );
    let mut all = Vec::new();
    let mut version = 0;
    for kind in &KINDS {
        let places: Vec<usize> =
            text.match_indices(kind.following).map(|(at, _)| at + kind.following.len()).collect();
        let mut times = Vec::new();
        for round in 0..rounds {
            // Positions from the entire text, including its beginning and end.
            let at = places[round * (places.len() - 1) / rounds.max(2).saturating_sub(1)];
            let there = TextEdit { range: at..at, text: kind.insert.to_owned() };
            let back = TextEdit { range: at..at + kind.insert.len(), text: String::new() };
            for edit in [there, back] {
                version += 1;
                let start = Instant::now();
                assert!(host.edit("x.cu", version, &[edit]), "the document is open");
                findings(&host);
                times.push(start.elapsed());
            }
        }
        report(kind.name, &mut times);
        all.append(&mut times);
    }
    let p99 = report("all", &mut all);
    if full {
        println!("99 of 100 within {p99:.1} ms; bar {BAR_MS} ms");
    }
}

/// Number of findings in a document.
fn findings(host: &Host) -> usize {
    let analysis = host.snapshot("x.cu", Cancel::default()).expect("it is open");
    let syntax = analysis.syntax_diagnostics().expect("nothing cancels it");
    syntax.len() + analysis.model_diagnostics().expect("nothing cancels it").len()
}

/// Prints a line of the table and returns the 99th percentile in milliseconds.
fn report(name: &str, times: &mut [Duration]) -> f64 {
    times.sort();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share).ceil() as usize]);
    println!("{name:<28} {:>8} {:>8.1} {:>8.1} {:>8.1}", times.len(), at(0.5), at(0.99), at(1.0));
    at(0.99)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Copies of the kernels, each with a number appended to the names of its functions.
fn text(lines: usize) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(KERNELS);
    let kernels = fs::read_to_string(path).expect("the kernels exist");
    let names: Vec<&str> = kernels
        .lines()
        .filter(|line| line.contains("__global__") || line.contains("int main"))
        .filter_map(|line| line.split('(').find_map(|part| part.rsplit([' ', '*', '&']).next()))
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && name.len() > 2)
        .collect();
    let mut text = String::new();
    for copy in 0.. {
        let mut own = kernels.clone();
        for name in &names {
            own = own.replace(&format!("{name}("), &format!("{name}_{copy}("));
            own = own.replace(&format!("{name}<<<"), &format!("{name}_{copy}<<<"));
            own = own.replace(&format!("{name}<"), &format!("{name}_{copy}<"));
        }
        text.push_str(&own);
        if text.lines().count() >= lines {
            return text;
        }
    }
    text
}
