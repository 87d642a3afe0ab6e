//! Compares the profiles before and after a change, as Markdown that reads well even unrendered.

use crate::printable::printable;
use crate::tree::words::percent;
use ide::profiles::{ComparedFigure, ComparedLaunch, ComparedProfiles, ComparedStall, LaunchName};
use std::fmt::Write;

/// Smallest relative change at which a figure is listed.
const MIN_CHANGE: f64 = 0.005; // limit: a smaller change is noise of the measurement
/// Smallest share of all stalls, in either profile, at which a stall reason is listed.
const MIN_STALLS: f64 = 0.01; // limit: a smaller share says nothing
/// Figures that are listed whether or not they changed.
const ALWAYS: [&str; 5] = ["duration", "cycles", "registers", "theoretical_occupancy", "achieved_occupancy"];

/// The comparison of two files, whose names are `before` and `after`.
pub(crate) fn markdown(compared: &ComparedProfiles, before: &str, after: &str) -> String {
    let mut text = format!("# {} -> {}\n", printable(before), printable(after));
    for own in &compared.launches {
        launch(&mut text, own);
    }
    if compared.launches.is_empty() {
        text.push_str("\nNo kernel is in both.\n");
    }
    only(&mut text, before, &compared.only_before);
    only(&mut text, after, &compared.only_after);
    text
}

/// [`markdown`], but for a terminal: without the marks of headings and tables.
pub(crate) fn plain(compared: &ComparedProfiles, before: &str, after: &str) -> String {
    let mut text = String::new();
    for line in markdown(compared, before, after).lines() {
        if line.starts_with("| --") {
            continue;
        }
        let line = match line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) {
            Some(row) => row.replace(" | ", "  "),
            None => line.trim_start_matches('#').trim_start().to_owned(),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn only(text: &mut String, file: &str, launches: &[LaunchName]) {
    if launches.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Only in {}\n", printable(file));
    for own in launches {
        let _ = writeln!(text, "- {}{}", printable(&own.kernel), size(own));
    }
}

fn launch(text: &mut String, own: &ComparedLaunch) {
    let (before, after) = (size(&own.before), size(&own.after));
    let sizes = if before == after { after } else { format!("{before} ->{after}") };
    let _ = writeln!(text, "\n## {}{sizes}\n", printable(&own.after.kernel));
    if let Some(times) = own.times_as_fast {
        let _ = writeln!(text, "{times:.2} times as fast.\n");
    }
    let figures: Vec<[String; 4]> = own.figures.iter().filter(|own| is_listed(own)).map(figure).collect();
    if !figures.is_empty() {
        table(text, ["", "before", "after", "change"], &figures);
        text.push('\n');
    }
    let is_large = |own: &&ComparedStall| own.share_before.max(own.share_after) >= MIN_STALLS;
    let stalls: Vec<[String; 6]> = own.stalls.iter().filter(is_large).map(stall).collect();
    let has_cycles = own.stalls.iter().any(|own| own.cycles_before.or(own.cycles_after).is_some());
    if has_cycles {
        let titles = ["stalls", "before", "after", "cycles before", "cycles after", "change in cycles"];
        table(text, titles, &stalls);
    } else if !stalls.is_empty() {
        let shares: Vec<[String; 3]> =
            stalls.into_iter().map(|[reason, before, after, ..]| [reason, before, after]).collect();
        table(text, ["stalls", "before", "after"], &shares);
    }
}

/// Formats the size of a launch: ` <<<16x16, 256>>>`, with a leading blank. Empty if the profile does not state the
/// size.
fn size(launch: &LaunchName) -> String {
    let three = |dimensions: [u64; 3]| {
        let used = dimensions.iter().rposition(|count| *count > 1).map_or(1, |last| last + 1);
        dimensions[..used].iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    };
    let size = launch.grid.zip(launch.block);
    size.map_or_else(String::new, |(grid, block)| format!(" <<<{}, {}>>>", three(grid), three(block)))
}

fn is_listed(figure: &ComparedFigure) -> bool {
    let has_changed = match (figure.before, figure.after) {
        (Some(before), Some(after)) => (after - before).abs() > MIN_CHANGE * before.abs(),
        _ => true,
    };
    has_changed || ALWAYS.contains(&figure.name)
}

fn figure(own: &ComparedFigure) -> [String; 4] {
    let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| in_unit(value, own.unit));
    let change = own.before.zip(own.after).map_or_else(String::new, |(before, after)| match own.unit {
        // The change of a percentage is a difference in percentage points.
        "%" => format!("{:+.1} points", after - before),
        _ if before == 0.0 => String::new(),
        _ => format!("{:+.1} %", 100.0 * (after / before - 1.0)),
    });
    [own.title.to_owned(), value(own.before), value(own.after), change]
}

fn stall(own: &ComparedStall) -> [String; 6] {
    let cycles = |cycles: Option<f64>| cycles.map_or_else(|| "-".to_owned(), grouped);
    let change = own.cycles_before.zip(own.cycles_after).map_or_else(
        || "-".to_owned(),
        |(before, after)| format!("{}{}", if after > before { "+" } else { "" }, grouped(after - before)),
    );
    [
        own.reason.clone(),
        percent(own.share_before),
        percent(own.share_after),
        cycles(own.cycles_before),
        cycles(own.cycles_after),
        change,
    ]
}

/// A value with its unit; times are scaled to a suitable unit.
fn in_unit(value: f64, unit: &str) -> String {
    match unit {
        "ns" if value >= 1e6 => format!("{:.2} ms", value / 1e6),
        "ns" => format!("{:.2} us", value / 1e3),
        "cycle" => format!("{} cycles", grouped(value)),
        "%" => format!("{value:.1} %"),
        _ if value.fract() == 0.0 => grouped(value),
        _ => format!("{value:.2}"),
    }
}

/// A whole number with commas between groups of three digits.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 && digits != "0" { format!("-{text}") } else { text }
}

/// Appends a table with aligned columns, the first one left-aligned and the others right-aligned.
fn table<const COLUMNS: usize>(text: &mut String, titles: [&str; COLUMNS], rows: &[[String; COLUMNS]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([titles[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let mut line = |cells: [&str; COLUMNS]| {
        for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let _ =
                if at == 0 { write!(text, "| {cell:<width$} |") } else { write!(text, " {cell:>width$} |") };
        }
        text.push('\n');
    };
    line(titles);
    let rules: [String; COLUMNS] = std::array::from_fn(|at| {
        if at == 0 { "-".repeat(widths[at]) } else { format!("{}:", "-".repeat(widths[at] - 1)) }
    });
    line(std::array::from_fn(|at| rules[at].as_str()));
    for row in rows {
        line(std::array::from_fn(|at| row[at].as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(grid: u64) -> LaunchName {
        LaunchName { kernel: "k(int)".to_owned(), grid: Some([grid, 1, 1]), block: Some([16, 16, 1]) }
    }

    #[test]
    fn changes_are_listed_in_tables() {
        let figures = vec![
            ComparedFigure {
                name: "duration",
                title: "duration",
                unit: "ns",
                before: Some(71_100.0),
                after: Some(45_250.0),
            },
            ComparedFigure { name: "ipc", title: "ipc", unit: "", before: Some(1.0), after: Some(1.001) },
        ];
        let stalls = vec![ComparedStall {
            reason: "wait".to_owned(),
            title: "wait".to_owned(),
            share_before: 0.25,
            share_after: 0.5,
            cycles_before: Some(90_000.0),
            cycles_after: Some(1_030.0),
        }];
        let launches = vec![ComparedLaunch {
            before: name(4),
            after: name(8),
            times_as_fast: Some(1.571),
            figures,
            stalls,
        }];
        let compared = ComparedProfiles { launches, only_before: vec![name(1)], only_after: Vec::new() };
        let text = markdown(&compared, "a.ncu-rep", "b.ncu-rep");
        let wanted = "# a.ncu-rep -> b.ncu-rep\n\n## k(int) <<<4, 16x16>>> -> <<<8, 16x16>>>\n\n1.57 times as fast.\n\n\
            |          |   before |    after |  change |\n| -------- | -------: | -------: | ------: |\n\
            | duration | 71.10 us | 45.25 us | -36.4 % |\n\n\
            | stalls | before |  after | cycles before | cycles after | change in cycles |\n\
            | ------ | -----: | -----: | ------------: | -----------: | ---------------: |\n\
            | wait   | 25.0 % | 50.0 % |        90,000 |        1,030 |          -88,970 |\n\n\
            ## Only in a.ncu-rep\n\n- k(int) <<<1, 16x16>>>\n";
        assert_eq!(text, wanted);
        let wanted = "a.ncu-rep -> b.ncu-rep\n\nk(int) <<<4, 16x16>>> -> <<<8, 16x16>>>\n\n1.57 times as fast.\n\n\
              \x20           before     after   change\n\
            duration  71.10 us  45.25 us  -36.4 %\n\n\
            stalls  before   after  cycles before  cycles after  change in cycles\n\
            wait    25.0 %  50.0 %         90,000         1,030           -88,970\n\n\
            Only in a.ncu-rep\n\n- k(int) <<<1, 16x16>>>\n";
        assert_eq!(plain(&compared, "a.ncu-rep", "b.ncu-rep"), wanted);
    }
}
