//! The timeline of one warp: a row for each issue, a column for each cycle, a page for as many cycles as fit the screen.

use crate::cli::output::{counted, grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::table::{columns_of, first_columns};
use ide::cycles::{TimedIssue, Timeline};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Minimum number of cycles per page.
const MIN: u64 = 50; // limit: a narrower page shows no pattern
const MAX: u64 = 200; // limit: the width of a wide terminal
/// Maximum width of an instruction's text, in columns.
const TEXT: usize = 36; // limit: the text of most instructions
/// Number of columns taken by an address and by the text after an issue.
const OTHER_COLUMNS: usize = 9 + 28; // limit: widths of the columns next to the cycles
/// Maximum length of a repeating pattern, in iterations of a loop.
const MAX_PERIOD: usize = 4; // limit: a longer period is not seen as one
/// Maximum number of rows.
const MAX_ROWS: usize = 4000; // limit: more is not read by a person

/// Letters for ncu's stall reasons.
const LETTERS: [(&str, char); 11] = [
    ("wait", 'w'),
    ("long_scoreboard", 'L'),
    ("short_scoreboard", 'S'),
    ("mio_throttle", 'm'),
    ("lg_throttle", 'g'),
    ("math_pipe_throttle", 'p'),
    ("dispatch_stall", 'd'),
    ("barrier", 'b'),
    ("branch_resolving", 'r'),
    ("no_instruction", 'n'),
    ("not_selected", 'x'),
];

fn letter(reason: &str) -> char {
    LETTERS.iter().find(|(name, _)| *name == reason).map_or('?', |(_, letter)| *letter)
}

/// A sequence of rows in the timeline.
#[derive(Debug, PartialEq, Eq)]
enum TimelinePart {
    /// The steps with these indices, one row each.
    Steps(std::ops::Range<usize>),
    /// The last `trips` iterations repeat `times` more times, from cycle `from` to cycle `to`, with `issues` issues in
    /// total.
    Again { times: usize, trips: usize, issues: usize, from: u64, to: u64 },
}

pub(super) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    timeline: &Timeline,
    columns: usize,
) -> io::Result<()> {
    let Palette { dim, .. } = *palette;
    let steps = &timeline.steps;
    let text = steps.iter().map(|step| columns_of(&step.text)).max().unwrap_or(0).min(TEXT);
    let room = columns.saturating_sub(OTHER_COLUMNS + text) as u64 / 10 * 10;
    let mut sheet = TimelineWriter { palette, width: room.clamp(MIN, MAX), text, page: None };
    let mut rows = 0;
    let mut left_out = timeline.left_out;
    for part in folded(steps) {
        match part {
            TimelinePart::Steps(range) => {
                let shown = range.len().min(MAX_ROWS - rows);
                rows += shown;
                left_out += (range.len() - shown) as u64;
                for step in &steps[range.start..range.start + shown] {
                    sheet.row(out, step)?;
                }
            }
            TimelinePart::Again { issues, .. } if rows == MAX_ROWS => left_out += issues as u64,
            TimelinePart::Again { times, trips, from, to, .. } => {
                let what = if trips == 1 {
                    "this iteration".to_owned()
                } else {
                    format!("these {trips} iterations")
                };
                writeln!(
                    out,
                    "{dim}         {what} repeated {times} more times: cycles {} to {}{dim:#}",
                    grouped(from),
                    grouped(to)
                )?;
                sheet.page = None;
            }
        }
    }
    if left_out > 0 {
        writeln!(out, "{dim}         … and {} more{dim:#}", counted(left_out as usize, "issue"))?;
    }
    legend(out, palette, steps)
}

fn legend(out: &mut dyn Write, palette: &Palette, steps: &[TimedIssue]) -> io::Result<()> {
    let Palette { dim, .. } = *palette;
    let used = LETTERS
        .iter()
        .filter(|(name, _)| steps.iter().any(|step| step.stall_cycles > 0 && step.reason == *name));
    let mut line = "I issues".to_owned();
    for (name, letter) in used {
        let _ = write!(line, ", {letter} {name}");
        if *name == "wait" {
            line.push_str(" (the stall count of the row above)");
        }
    }
    writeln!(out, "\n{dim}{line}{dim:#}")
}

/// Writes rows on pages.
struct TimelineWriter<'a> {
    palette: &'a Palette,
    /// Number of cycles per page.
    width: u64,
    text: usize,
    /// First cycle of the current page; `None` before a page begins.
    page: Option<u64>,
}

impl TimelineWriter<'_> {
    fn row(&mut self, out: &mut dyn Write, step: &TimedIssue) -> io::Result<()> {
        let Palette { dim, strong, variable, .. } = *self.palette;
        let start = step.cycle - step.stall_cycles.min(step.cycle);
        let is_long = step.stall_cycles + 10 > self.width;
        let base = match self.page {
            Some(base) if is_long || step.cycle < base + self.width => base,
            _ => {
                let base = start / 10 * 10;
                self.axis(out, base)?;
                base
            }
        };
        self.page = Some(base);
        write!(out, "{dim}{:#06x}{dim:#}   {}", step.address, fitted(&step.text, self.text))?;
        let letter = letter(step.reason);
        let mut lead = String::new();
        for cycle in base..start {
            lead.push(if cycle.is_multiple_of(10) { '.' } else { ' ' });
        }
        let stall = if is_long {
            // The next row starts a page.
            self.page = None;
            format!("{letter}{letter}{letter} {} cycles {letter}{letter}{letter}", grouped(step.stall_cycles))
        } else {
            letter.to_string().repeat(step.stall_cycles as usize)
        };
        write!(out, "  {dim}{lead}{dim:#}{variable}{stall}{variable:#}{strong}I{strong:#}")?;
        if step.stall_cycles > 0 {
            write!(out, "  {dim}{} {}", step.stall_cycles, step.reason)?;
            if let Some(on) = step.on.filter(|_| step.reason != "wait") {
                write!(out, " on {on:#06x}")?;
            }
            write!(out, "{dim:#}")?;
        }
        writeln!(out)
    }

    /// Writes the axis, with the number of every tenth cycle.
    fn axis(&self, out: &mut dyn Write, base: u64) -> io::Result<()> {
        let Palette { dim, .. } = *self.palette;
        let mut numbers = String::new();
        for tick in (base..base + self.width).step_by(10) {
            let _ = write!(numbers, "{tick:<10}");
        }
        let gap = if base == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{dim}{:<1$}{2}{dim:#}", "cycle", 9 + self.text + 2, numbers.trim_end())
    }
}

/// Returns the text padded or shortened to `columns` terminal columns.
fn fitted(text: &str, columns: usize) -> String {
    let text = printable(text);
    let taken = columns_of(&text);
    if taken <= columns {
        return format!("{text}{:1$}", "", columns - taken);
    }
    let mut shown = first_columns(text.chars(), columns.saturating_sub(1));
    shown.push('…');
    let taken = columns_of(&shown);
    format!("{shown}{:1$}", "", columns.saturating_sub(taken))
}

/// Splits steps into parts. Loop iterations that repeat the preceding iterations are folded into one part.
fn folded(steps: &[TimedIssue]) -> Vec<TimelinePart> {
    // An iteration starts after each backward step.
    let back = steps.windows(2).enumerate().filter(|(_, pair)| pair[1].address <= pair[0].address);
    let starts: Vec<usize> = back.map(|(index, _)| index + 1).chain([steps.len()]).collect();
    let trip = |number: usize| &steps[starts[number]..starts[number + 1]];
    let trips = starts.len() - 1;
    let mut parts = Vec::new();
    let mut written = 0;
    let mut at = 0;
    while at < trips {
        let repeats = |period: usize| {
            let same = (at + period..trips).take_while(|&next| is_same(trip(next), trip(next - period)));
            same.count() / period
        };
        let found = (1..=MAX_PERIOD).map(|period| (period, repeats(period))).find(|(_, times)| *times > 1);
        let Some((period, times)) = found else {
            at += 1;
            continue;
        };
        let (first, end) = (starts[at + period], starts[at + period * (times + 1)]);
        parts.push(TimelinePart::Steps(written..first));
        let (from, to) = (steps[first - 1].cycle + 1, steps[end - 1].cycle);
        parts.push(TimelinePart::Again { times, trips: period, issues: end - first, from, to });
        written = end;
        at += period * (times + 1);
    }
    parts.push(TimelinePart::Steps(written..steps.len()));
    parts
}

/// True if two iterations issue the same instructions with the same stalls.
fn is_same(one: &[TimedIssue], other: &[TimedIssue]) -> bool {
    let rhythm = |step: &TimedIssue| (step.address, step.stall_cycles, step.reason, step.on);
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| rhythm(one) == rhythm(other))
}

#[cfg(test)]
mod tests;
