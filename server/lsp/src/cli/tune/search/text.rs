//! Ranked tilings as text: the model that ranked them, a table, and how to launch the first.

use super::super::printed_family::PrintedFamily;
use super::answer::Answer;
use crate::cli::output::{counted, grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use lab::tune::{Launch, RankedTiling};
use std::io::{self, Write};

/// Titles of the columns before and after the columns of a tiling.
const FIRST: [&str; 1] = ["us"];
const LAST: [&str; 5] = ["occupancy", "registers", "shared", "grid", "threads"];
const LIMIT: Column = Column { title: "limit", align: Align::Left };

pub(super) fn write<P: PrintedFamily>(
    out: &mut dyn Write,
    palette: &Palette,
    answer: &Answer<P>,
) -> io::Result<()> {
    let Answer { problem, gpu, legal, best, .. } = answer;
    writeln!(
        out,
        "{} on {}: {} of {}",
        problem.words(),
        printable(&gpu.part.name),
        grouped(best.len() as u64),
        counted(*legal, "legal tiling"),
    )?;
    for line in answer.basis() {
        writeln!(out, "{}", printable(&line))?;
    }
    writeln!(out)?;
    let right = |title: &&'static str| Column { title, align: Align::Right };
    let columns: Vec<Column> = FIRST.iter().chain(P::TITLES).chain(&LAST).map(right).chain([LIMIT]).collect();
    let row = |ranked: &RankedTiling<P::Tiling>| row::<P>(palette, ranked, problem.launch(&ranked.tiling));
    table::write(out, &columns, palette.dim, || best.iter().map(row))?;
    let Some(first) = best.first() else { return Ok(()) };
    let Launch { grid: [x, y, z], threads, shared_bytes, adds } = problem.launch(&first.tiling);
    let zero = if adds { format!("; {} must be zero before the launch", P::OUTPUT) } else { String::new() };
    writeln!(
        out,
        "\nLaunch of the first kernel: grid {x} x {y} x {z}, {}, {} of dynamic shared memory{zero}",
        counted(threads as usize, "thread"),
        counted(shared_bytes as usize, "byte"),
    )
}

fn row<P: PrintedFamily>(palette: &Palette, ranked: &RankedTiling<P::Tiling>, launch: Launch) -> Row {
    let RankedTiling { tiling, microseconds, estimate } = ranked;
    let [x, y, z] = launch.grid;
    let first = [format!("{microseconds:.2}")];
    let last = [
        format!("{:.0} %", 100.0 * estimate.occupancy),
        estimate.registers.to_string(),
        grouped(launch.shared_bytes.into()),
        format!("{x}x{y}x{z}"),
        launch.threads.to_string(),
        estimate.limit.name().to_owned(),
    ];
    let cells = first.into_iter().chain(P::cells(tiling)).chain(last);
    Row::Cells(cells.map(|text| Cell::new(palette.plain, text)).collect())
}
