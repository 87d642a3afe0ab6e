//! Times of single requests: hover, completion, definition and the tokens of the visible lines.

use crate::listing::Listing;
use crate::server::Server;
use crate::{Change, EDITS, VISIBLE_LINES, millis, percentile};
use std::time::{Duration, Instant};

const QUESTIONS: usize = 1_000;
/// Pause for the server's background work on a newly opened document.
const BEFORE: Duration = Duration::from_secs(2);
/// Columns at which cuobjdump prints an opcode and its first operand.
const OPCODE: usize = 36;
const OPERAND: usize = 45;

/// Measurements of one type of request.
pub(crate) struct RequestTimes {
    name: &'static str,
    median: Duration,
    p99: Duration,
    count: usize,
    /// Number of requests with a non-empty answer.
    answered: usize,
}

/// Sends requests for positions all over a text, each type of request in turn.
pub(crate) fn ask(text: &Listing) -> Vec<RequestTimes> {
    let lines = text.lines();
    let mut server = Server::start();
    server.open(text);
    server.hints(0, VISIBLE_LINES);
    std::thread::sleep(BEFORE);
    // A stride that is coprime to the number of lines visits positions all over the text.
    let place = |number: usize| (number * 7_919) % (lines - VISIBLE_LINES);
    let mut at = |method: &str, number: usize, column: fn(&str) -> usize| {
        let line = place(number);
        server.at(method, line, column(text.line(line)))
    };
    let mut asked = vec![
        measure("hover of opcodes", |number| at("textDocument/hover", number, opcode)),
        measure("hover of operands", |number| at("textDocument/hover", number, operand)),
        measure("completion", |number| at("textDocument/completion", number, operand)),
        measure("definition", |number| at("textDocument/definition", number, operand)),
    ];
    if text.language == "ptx" {
        let after_dot = |number| at("textDocument/completion", number, modifier);
        asked.push(measure("completion of modifiers", after_dot));
    }
    asked.push(measure("tokens of 60 lines", |number| server.tokens(place(number), VISIBLE_LINES)));
    server.stop();
    asked
}

/// Sends requests during typing. Before each request, a line in the middle of the text gets new contents.
pub(crate) fn ask_while_typing(text: &mut Listing, change: Change) -> Vec<RequestTimes> {
    let middle = text.lines() / 2;
    let mut server = Server::start();
    server.open(text);
    server.hints(0, VISIBLE_LINES);
    std::thread::sleep(BEFORE);
    let mut number = 0;
    let mut edited = |method: &str, column: fn(&str) -> usize| {
        let mut asked = Vec::with_capacity(EDITS);
        for _ in 0..EDITS {
            number += 1;
            let edit = change(text, middle, number);
            server.change(&edit);
            asked.push(timed(|| server.at(method, edit.line, column(text.line(edit.line)))));
        }
        asked
    };
    let asked = vec![
        RequestTimes::of("hover after an edit", edited("textDocument/hover", operand)),
        RequestTimes::of("completion after an edit", edited("textDocument/completion", operand)),
    ];
    server.stop();
    asked
}

/// Column of the opcode in a line, by the layout of cuobjdump and nvcc.
fn opcode(line: &str) -> usize {
    if line.starts_with('\t') { 2 } else { OPCODE.min(line.len()) }
}

/// Column after the first dot of a line's instruction.
fn modifier(line: &str) -> usize {
    line.find('.').map_or(0, |dot| dot + 1)
}

/// Column in the first operand of a line's instruction.
fn operand(line: &str) -> usize {
    let following = line.rfind('\t').filter(|&tab| tab > 0);
    following.map_or(OPERAND, |tab| tab + 3).min(line.len())
}

fn measure(name: &'static str, mut question: impl FnMut(usize) -> bool) -> RequestTimes {
    RequestTimes::of(name, (0..QUESTIONS).map(|number| timed(|| question(number))).collect())
}

/// Sends a request. Returns the time of the request, and true if the answer was non-empty.
fn timed(question: impl FnOnce() -> bool) -> (Duration, bool) {
    let sent = Instant::now();
    let answered = question();
    (sent.elapsed(), answered)
}

impl RequestTimes {
    fn of(name: &'static str, asked: Vec<(Duration, bool)>) -> Self {
        let answered = asked.iter().filter(|(_, answered)| *answered).count();
        assert!(answered > 0, "some {name} has an answer");
        let mut times: Vec<Duration> = asked.into_iter().map(|(time, _)| time).collect();
        times.sort_unstable();
        Self {
            name,
            median: percentile(&times, 50),
            p99: percentile(&times, 99),
            count: times.len(),
            answered,
        }
    }
}

pub(crate) fn print(what: &str, asked: &[RequestTimes]) {
    println!("\nquestions, all over {what}");
    println!("{:>24} {:>8} {:>10} {:>12} {:>12}", "", "asked", "answered", "median", "p99");
    for RequestTimes { name, median, p99, count, answered } in asked {
        println!("{name:>24} {count:>8} {answered:>10} {:>9.2} ms {:>9.2} ms", millis(*median), millis(*p99));
    }
}
