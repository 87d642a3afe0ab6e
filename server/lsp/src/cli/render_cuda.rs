//! `warplens analyze` for CUDA that is not compiled: its launches, and the memory requests of their accesses.

use super::output::{self, counted, printable};
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row};
use ide::{TextAccess, TextKernel, TextReport};
use std::io::{self, Write};

const COLUMNS: [Column; 6] = [
    Column { title: "line", align: Align::Right },
    Column { title: "access", align: Align::Left },
    Column { title: "requests", align: Align::Right },
    Column { title: "takes", align: Align::Right },
    Column { title: "needs", align: Align::Right },
    Column { title: "text", align: Align::Left },
];

/// Writes each kernel at each launch with its accesses: sectors or, for shared memory, wavefronts per request.
pub(super) fn write(out: &mut dyn Write, palette: &Palette, report: &TextReport) -> io::Result<()> {
    for (number, kernel) in report.kernels.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        head(out, palette, kernel)?;
        facts(out, palette, kernel)?;
        table::write(out, &COLUMNS, palette.dim, || {
            kernel.accesses.iter().map(|access| row(palette, access))
        })?;
    }
    if report.kernels.is_empty() {
        return writeln!(out, "no kernel with a body");
    }
    writeln!(
        out,
        "\nGPU: {}. Simulated from the source, warp by warp. `takes` and `needs`: sectors (global memory) or wavefronts (shared memory) per request;\n`unknown` if the source and the launch do not determine the address.\nCycles, registers and stalls need the compiled code: --compile.",
        report.gpu
    )
}

fn head(out: &mut dyn Write, palette: &Palette, kernel: &TextKernel) -> io::Result<()> {
    let Palette { strong, dim, .. } = palette;
    let sizes = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let name = kernel.launch.as_ref().map_or_else(String::new, |name| format!(" {}", printable(name)));
    let barriers = kernel.barriers.map_or_else(|| "?".to_owned(), |barriers| format!("{barriers:.0}"));
    let source = match kernel.launch_source {
        "found" => "found in host code",
        source => source,
    };
    writeln!(
        out,
        "{strong}{}{strong:#} on line {}{dim}, launch{name}: grid {}, block {} ({source}); {} B shared, \
         {barriers} barriers per warp; {} of {} simulated{dim:#}",
        printable(&kernel.name),
        kernel.line,
        sizes(kernel.grid),
        sizes(kernel.block),
        kernel.shared,
        kernel.warps,
        counted(usize::try_from(kernel.all_warps).unwrap_or(usize::MAX), "warp"),
    )
}

/// Writes the launch's upper bound on occupancy, the active lanes, and the lines on which lanes diverge.
fn facts(out: &mut dyn Write, palette: &Palette, kernel: &TextKernel) -> io::Result<()> {
    /// Maximum number of branches whose lines are shown.
    const SHOWN: usize = 8; // limit: room in a line
    let Palette { dim, .. } = palette;
    let mut facts = vec![format!("{} (registers unknown)", kernel.occupancy.text)];
    if let Some(efficiency) = kernel.warp_efficiency {
        facts.push(format!("{:.0} % of lanes active (estimated)", 100.0 * efficiency));
    }
    let mut lines: Vec<String> =
        kernel.divergent_branches.iter().map(|branch| branch.line.to_string()).collect();
    lines.dedup();
    if !lines.is_empty() {
        let more = if lines.len() > SHOWN { ", …" } else { "" };
        let s = if lines.len() == 1 { "" } else { "s" };
        lines.truncate(SHOWN);
        facts.push(format!("lanes diverge on line{s} {}{more}", lines.join(", ")));
    }
    writeln!(out, "{dim}{}{dim:#}", facts.join("; "))
}

fn row(palette: &Palette, access: &TextAccess) -> Row {
    /// Maximum number of characters of an access that are shown.
    const SHOWN: usize = 48; // limit: room in a line
    let Palette { plain, strong, dim, .. } = *palette;
    let figure =
        |figure: Option<f64>| figure.map_or_else(|| "unknown".to_owned(), |figure| format!("{figure:.1}"));
    let is_more = access.taken.zip(access.ideal).is_some_and(|(taken, ideal)| taken > ideal * 1.01);
    let text: String = access.text.chars().take(SHOWN).collect();
    let bytes = access.bytes_per_lane.map_or_else(String::new, |bytes| format!(", {bytes} B"));
    // Figures count only requests with known addresses.
    let requests = match (access.requests, access.unknown) {
        (known, 0.0) => format!("{known:.0}"),
        (0.0, unknown) => format!("{unknown:.0}"),
        (known, unknown) => format!("{known:.0} and {unknown:.0} unknown"),
    };
    Row::Cells(vec![
        Cell::new(dim, access.line.to_string()),
        Cell::new(plain, format!("{} {}{bytes}", access.space, access.kind)),
        Cell::new(plain, requests),
        Cell::new(if is_more { strong } else { plain }, figure(access.taken)),
        Cell::new(plain, figure(access.ideal)),
        Cell::new(plain, printable(&text)),
    ])
}

/// Prints the report as JSON.
pub(super) fn json(report: &TextReport) -> Result<(), super::failure::Failure> {
    output::print(clap::ColorChoice::Never, |out, _| {
        serde_json::to_writer(&mut *out, report)?;
        writeln!(out)
    })
}
