//! Growth of costs with the length of a text: formatting and lowering of PTX at several lengths, an edit in a function
//! of 20,000 instructions, and the time until cancelled work ends.

use crate::listing::{Edit, Listing};
use crate::server::{Hint, Server};
use crate::{Change, VISIBLE_LINES, millis, percentile};
use std::fmt::Write;
use std::time::{Duration, Instant};

const EDITS: usize = 20;
/// Pause between two edits, in which the work that follows an edit finishes.
const PAUSE: Duration = Duration::from_millis(500);

/// Prints all rows. Without `full`, prints few rows for short texts.
pub(crate) fn print(full: bool) {
    let scale = if full { 1 } else { 20 };
    println!("\ngrowth");
    let format = |server: &mut Server| assert!(server.format() > 0, "there is something to format");
    row("PTX formatted, lines", &[10_000, 40_000].map(|lines| lines / scale), straight, format);
    let hints = |server: &mut Server| assert!(!server.hints(0, VISIBLE_LINES).is_empty(), "it has hints");
    row("PTX to hints, branches", &[2_000, 8_000, 16_000].map(|count| count / scale), branches, hints);
    let count = 20_000 / scale;
    edits(
        &format!("SASS, {count} instructions in a kernel"),
        crate::listing::of_one_kernel(count),
        crate::listing::edit,
    );
    edits(
        &format!("PTX, {count} instructions in a function"),
        crate::module::of_one_function(count),
        crate::module::edit,
    );
    cancelled(16_000 / scale);
}

/// Measures the times from opening texts to an answer, and prints the ratio of the longest to the shortest text.
fn row(what: &str, sizes: &[usize], make: fn(usize) -> Listing, ask: impl Fn(&mut Server)) {
    let times = sizes.iter().map(|&size| {
        let text = make(size);
        let mut server = Server::start();
        server.open(&text);
        let asked = Instant::now();
        ask(&mut server);
        let time = asked.elapsed();
        server.stop();
        time
    });
    let times: Vec<Duration> = times.collect();
    let said: Vec<String> =
        sizes.iter().zip(&times).map(|(size, time)| format!("{size}: {:.0} ms", millis(*time))).collect();
    let ratio = millis(times[times.len() - 1]) / millis(times[0]);
    println!("{what:>40}  {}; last / first {ratio:.1}", said.join(", "));
}

/// Measures the time from an edit in the middle to the first hints of the lines around it, to the final hints
/// of these lines, to the hints of the function's last lines, and to the hints of all lines.
fn edits(what: &str, mut text: Listing, change: Change) {
    let middle = text.lines() / 2;
    let mut server = Server::start_as(true);
    server.open(&text);
    server.hints(middle, VISIBLE_LINES);
    let (mut near, mut known, mut last, mut all) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..EDITS {
        std::thread::sleep(PAUSE);
        let edit: Edit = change(&mut text, middle, number);
        let sent = Instant::now();
        server.change(&edit);
        let first = edit.line.saturating_sub(VISIBLE_LINES / 2);
        let hints = server.hints(first, VISIBLE_LINES);
        near.push(sent.elapsed());
        assert!(!hints.is_empty(), "the lines around the cursor have hints");
        if hints.iter().any(Hint::is_early) {
            server.await_refresh();
            let hints = server.hints(first, VISIBLE_LINES);
            assert!(!hints.iter().any(Hint::is_early), "they are final");
        }
        known.push(sent.elapsed());
        server.hints(text.lines().saturating_sub(VISIBLE_LINES), VISIBLE_LINES);
        last.push(sent.elapsed());
        server.hints(0, text.lines());
        all.push(sent.elapsed());
    }
    server.stop();
    let p99 = |mut times: Vec<Duration>| {
        times.sort_unstable();
        millis(percentile(&times, 99))
    };
    println!(
        "{what:>40}  edit to hints at the cursor p99 {:.1} ms, to final ones {:.1} ms, at the last lines {:.1} ms, to all at once {:.1} ms",
        p99(near),
        p99(known),
        p99(last),
        p99(all),
    );
}

/// Measures the processor time that is used after a long request was cancelled and the document closed.
fn cancelled(branch_count: usize) {
    let mut server = Server::start();
    server.open(&branches(branch_count));
    server.cancel_hints(Duration::from_millis(20));
    let cancelled = server.processor_time();
    std::thread::sleep(Duration::from_secs(1));
    let used = server.processor_time().saturating_sub(cancelled);
    println!(
        "{:>40}  {:.0} ms of processor time afterwards",
        "request cancelled, document closed",
        millis(used)
    );
    server.stop();
}

fn straight(lines: usize) -> Listing {
    let body = "mad.lo.s32 %r1,%r2,%r3,%r4;\n".repeat(lines);
    Listing::new("ptx", function(&body))
}

/// A function of basic blocks with an addition and a branch to an arbitrary block.
fn branches(count: usize) -> Listing {
    let mut body = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 5;\n".to_owned();
    for at in 0..count {
        let _ = write!(body, "L{at}: add.s32 %r1, %r1, {at};\n@%p1 bra L{};\n", at * 7_919 % count);
    }
    Listing::new("ptx", function(&body))
}

fn function(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>;\n\
         .reg .pred %p<3>;\n{body}ret;\n}}\n"
    )
}
