//! Ranked tilings for people: who ranked them, a table, and how the first is launched.

use super::Answer;
use crate::cli::output::{counted, grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use lab::tune::Launch;
use lab::tune::gemm::Ranked;
use std::io::{self, Write};

const COLUMNS: [Column; 12] = [
    right("us"),
    right("block"),
    right("thread"),
    right("split"),
    right("vectors"),
    right("stages"),
    right("occupancy"),
    right("registers"),
    right("shared"),
    right("grid"),
    right("threads"),
    Column { title: "limit", align: Align::Left },
];

const fn right(title: &'static str) -> Column {
    Column { title, align: Align::Right }
}

pub(super) fn write(out: &mut dyn Write, palette: &Palette, answer: &Answer) -> io::Result<()> {
    let Answer { gemm, gpu, ranking, .. } = answer;
    writeln!(
        out,
        "M={} N={} K={} {} {} on {}: {} of {}",
        gemm.m,
        gemm.n,
        gemm.k,
        gemm.element,
        gemm.layout(),
        printable(&gpu.part.name),
        grouped(ranking.best.len() as u64),
        counted(ranking.legal, "legal tiling"),
    )?;
    writeln!(out, "{}\n", printable(&answer.basis()))?;
    let row = |ranked: &Ranked| row(palette, ranked, ranked.tiling.launch(gemm));
    table::write(out, &COLUMNS, palette.dim, || ranking.best.iter().map(row))?;
    let Some(first) = ranking.best.first() else { return Ok(()) };
    let Launch { grid: [x, y, z], threads, shared_bytes, adds } = first.tiling.launch(gemm);
    let zero = if adds { "; C must be zero before" } else { "" };
    writeln!(
        out,
        "\nLaunch of the first: grid {x} x {y} x {z}, {}, {} of dynamic shared memory{zero}",
        counted(threads as usize, "thread"),
        counted(shared_bytes as usize, "byte"),
    )
}

fn row(palette: &Palette, ranked: &Ranked, launch: Launch) -> Row {
    let Ranked { tiling, microseconds, estimate } = ranked;
    let [x, y, z] = launch.grid;
    let cells = [
        format!("{microseconds:.2}"),
        format!("{}x{}x{}", tiling.block_m, tiling.block_n, tiling.depth),
        format!("{}x{}", tiling.thread_m, tiling.thread_n),
        format!("{}/{}/{}", tiling.thread_k, tiling.block_k, tiling.grid_k),
        format!("{}/{}", tiling.vector_a, tiling.vector_b),
        tiling.stages.to_string(),
        format!("{:.0} %", 100.0 * estimate.occupancy),
        estimate.registers.to_string(),
        grouped(launch.shared_bytes.into()),
        format!("{x}x{y}x{z}"),
        launch.threads.to_string(),
        estimate.limit.name().to_owned(),
    ];
    Row::Cells(cells.into_iter().map(|text| Cell::new(palette.plain, text)).collect())
}
