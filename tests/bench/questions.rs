//! How long single questions take: hover, definition and the tokens of what is seen.

use crate::listing;
use crate::server::Server;
use crate::{VISIBLE_LINES, millis, percentile};
use std::time::{Duration, Instant};

const QUESTIONS: usize = 1_000;
/// For what the server does by itself with a document that was just opened.
const BEFORE: Duration = Duration::from_secs(2);
/// A column in an instruction's first operand, by the listing's layout.
const OPERAND: usize = 45;

/// What was measured of one kind of question.
pub(crate) struct Asked {
    name: &'static str,
    median: Duration,
    p99: Duration,
    /// How many of the questions were answered by something.
    answered: usize,
}

/// Asks about places all over a listing of so many lines, each kind of question in turn.
pub(crate) fn ask(lines: usize) -> Vec<Asked> {
    let text = listing::of_lines(lines);
    let mut server = Server::start();
    server.open(&text);
    server.hints(0, VISIBLE_LINES);
    std::thread::sleep(BEFORE);
    // A stride without a common divisor with the number of lines visits places all over the text.
    let place = |number: usize| (number * 7_919) % (lines - VISIBLE_LINES);
    let mut asked = vec![
        measure("hover", |number| server.at("textDocument/hover", place(number), OPERAND)),
        measure("tokens of 60 lines", |number| server.tokens(place(number), VISIBLE_LINES)),
    ];
    if server.offers("definitionProvider") {
        let definition = |number| server.at("textDocument/definition", place(number), OPERAND);
        asked.push(measure("definition", definition));
    }
    server.stop();
    asked
}

fn measure(name: &'static str, mut question: impl FnMut(usize) -> bool) -> Asked {
    let mut answered = 0;
    let mut times: Vec<Duration> = (0..QUESTIONS)
        .map(|number| {
            let sent = Instant::now();
            answered += usize::from(question(number));
            sent.elapsed()
        })
        .collect();
    times.sort_unstable();
    assert!(answered > 0, "some {name} has an answer");
    Asked { name, median: percentile(&times, 50), p99: percentile(&times, 99), answered }
}

pub(crate) fn print(lines: usize, asked: &[Asked]) {
    println!("\n{QUESTIONS} questions each, all over {lines} lines");
    println!("{:>20} {:>10} {:>12} {:>12}", "", "answered", "median", "p99");
    for Asked { name, median, p99, answered } in asked {
        println!("{name:>20} {answered:>10} {:>9.2} ms {:>9.2} ms", millis(*median), millis(*p99));
    }
}
