//! Cycles as text for people: a table, and the timeline of a single warp.

use super::timeline;
use crate::cli::output::{grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::summary::Screen;
use crate::cli::table::{self, Align, Cell, Column, Row};
use ide::cycles::{Assumption, FunctionCycles, RegionCycles, Run};
use ide::names::demangle;
use std::io::{self, Write};

/// Maximum number of stall reasons shown in a line.
const REASONS: usize = 4; // limit: room in a line
/// Maximum number of locations that an assumption names.
const NAMED: usize = 4; // limit: room in a line

const COLUMNS: [Column; 6] = [
    Column { title: "function", align: Align::Left },
    Column { title: "region", align: Align::Left },
    Column { title: "warps", align: Align::Right },
    Column { title: "cycles", align: Align::Right },
    Column { title: "busiest pipe", align: Align::Left },
    Column { title: "warp time", align: Align::Left },
];

pub(super) fn write(out: &mut dyn Write, palette: &Palette, timed: &[FunctionCycles]) -> io::Result<()> {
    let Palette { dim, strong, .. } = *palette;
    if let [function] = timed {
        let name = demangle(&function.name).unwrap_or_else(|| function.name.clone());
        writeln!(out, "{strong}{}{strong:#}", printable(&name))?;
        writeln!(out, "{}, pipeline model, warm caches", printable(&function.gpu))?;
        for region in &function.regions {
            write_region(out, palette, region)?;
        }
        return Ok(());
    }
    let mut gpus: Vec<&str> = timed.iter().map(|function| &*function.gpu).collect();
    gpus.dedup();
    writeln!(out, "{}, pipeline model, warm caches", printable(&gpus.join(", ")))?;
    let rows = || {
        timed.iter().flat_map(|function| {
            function.regions.iter().flat_map(|region| {
                region.runs.iter().map(|run| row(palette, [&function.name, &region.name], run))
            })
        })
    };
    table::write(out, &COLUMNS, dim, rows)?;
    for line in super::csv::assumptions(timed).into_iter().filter(|line| line.starts_with("assumed")) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{dim}--function NAME shows one with its timeline{dim:#}")
}

fn write_region(out: &mut dyn Write, palette: &Palette, region: &RegionCycles) -> io::Result<()> {
    let Palette { dim, strong, .. } = *palette;
    let name = printable(&region.name);
    writeln!(out, "\n{strong}region {name}{strong:#}: from {:#06x} to {:#06x}", region.from, region.to)?;
    let rows = || region.runs.iter().map(|run| row(palette, ["", ""], run));
    table::write(out, &COLUMNS, dim, rows)?;
    for assumption in &region.assumptions {
        writeln!(out, "assumed: {}", printable(&sentence(assumption)))?;
    }
    // The timeline of one warp is the same in all runs.
    if let Some(timeline) = region.runs.iter().find_map(|run| run.timeline.as_ref()) {
        writeln!(out)?;
        timeline::write(out, palette, timeline, Screen::of_stdout().columns)?;
    }
    Ok(())
}

/// A table row of a run. `names`, the function and the region, are empty if they are printed above the table.
fn row(palette: &Palette, names: [&str; 2], run: &Run) -> Row {
    let Palette { plain, dim, strong, .. } = *palette;
    let [function, region] = names.map(|name| Cell::new(plain, printable(name)));
    let busiest = run.busiest.map(|busiest| format!("{} {:.0} %", busiest.pipe, busiest.share * 100.0));
    Row::Cells(vec![
        function,
        region,
        Cell::new(plain, run.warps.to_string()),
        Cell::new(strong, grouped(run.cycles)),
        Cell::new(plain, busiest.unwrap_or_default()),
        Cell::new(dim, shares(run)),
    ])
}

/// Returns the shares of warp time by stall reason, the largest first, in ncu's terms: `selected 40 %,
/// short_scoreboard 35 %, wait 25 %`.
fn shares(run: &Run) -> String {
    let stalled: u64 = run.stalls.iter().map(|(_, cycles)| cycles).sum();
    let all = (stalled + run.issues).max(1) as f64;
    let mut parts = vec![("selected", run.issues)];
    parts.extend(&run.stalls);
    parts.sort_by_key(|(_, cycles)| std::cmp::Reverse(*cycles));
    let shown = parts.iter().take(REASONS);
    let shown: Vec<String> = shown
        .filter(|(_, cycles)| *cycles > 0)
        .map(|(reason, cycles)| format!("{reason} {:.0} %", *cycles as f64 * 100.0 / all))
        .collect();
    shown.join(", ")
}

fn sentence(assumption: &Assumption) -> String {
    let Assumption { what, places } = assumption;
    if places.is_empty() {
        return what.clone();
    }
    let rest = places.len().saturating_sub(NAMED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{what}: {}{more}", places[..places.len().min(NAMED)].join(", "))
}
