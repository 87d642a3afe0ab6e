//! A comparison for people: a table for each kernel.

use super::figures::{ComparedKernel, Diff, change};
use crate::cli::output::{grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use ide::names::demangle;
use std::io::{self, Write};

const COLUMNS: [Column; 4] = [
    Column { title: "", align: Align::Left },
    Column { title: "base", align: Align::Right },
    Column { title: "new", align: Align::Right },
    Column { title: "change", align: Align::Right },
];

pub(super) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    diff: &Diff,
    fail_above: Option<f64>,
) -> io::Result<()> {
    writeln!(out, "{} -> {}", printable(&diff.base), printable(&diff.new))?;
    for own in &diff.kernels {
        writeln!(out)?;
        kernel(out, palette, own)?;
    }
    for (file, names) in [(&diff.base, &diff.only_base), (&diff.new, &diff.only_new)] {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
            writeln!(out, "\nonly in {}: {}", printable(file), names.join(", "))?;
        }
    }
    if let Some(percent) = fail_above {
        let worse = diff.kernels.iter().filter(|own| own.is_worse).count();
        let of = diff.kernels.len();
        writeln!(out, "\n{worse} of {of} compared launches: cycles or spills up by more than {percent} %")?;
    }
    Ok(())
}

fn shown(name: &str) -> String {
    printable(&demangle(name).unwrap_or_else(|| name.to_owned())).into_owned()
}

fn kernel(out: &mut dyn Write, palette: &Palette, own: &ComparedKernel) -> io::Result<()> {
    let Palette { plain, strong, dim, .. } = *palette;
    let launch = own.launch.as_ref().map(|name| format!("{}, ", printable(name))).unwrap_or_default();
    let sizes = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let assumed = if own.launch_assumed { " (assumed)" } else { "" };
    writeln!(
        out,
        "{strong}{}{strong:#}  {dim}{launch}grid {}, block {}{assumed}{dim:#}",
        shown(&own.name),
        sizes(own.grid),
        sizes(own.block)
    )?;
    let (base, new) = (&own.base, &own.new);
    let whole = |number: f64| grouped(number as u64);
    let cycles = |cycles: Option<f64>| cycles.map_or_else(|| "unknown".to_owned(), whole);
    let row = |title: &str, base: String, new: String, change: String| {
        Row::Cells(vec![
            Cell::new(plain, title),
            Cell::new(plain, base),
            Cell::new(plain, new),
            Cell::new(plain, change),
        ])
    };
    let counted = |title: &str, base: f64, new: f64| {
        row(title, whole(base), whole(new), change(base, new).map_or_else(|| "new".to_owned(), percent))
    };
    let share = |share: f64| format!("{:.0} %", 100.0 * share);
    let of_cycles = base.cycles.zip(new.cycles).and_then(|(base, new)| change(base, new));
    let rows = || {
        [
            counted("registers", base.registers.into(), new.registers.into()),
            counted("spill bytes", base.spills.into(), new.spills.into()),
            row(
                "occupancy",
                share(base.occupancy),
                share(new.occupancy),
                change(base.occupancy, new.occupancy).map_or_else(String::new, percent),
            ),
            counted("instructions", base.instructions as f64, new.instructions as f64),
            row(
                "cycles",
                cycles(base.cycles),
                cycles(new.cycles),
                of_cycles.map_or_else(String::new, percent),
            ),
        ]
        .into_iter()
    };
    table::write(out, &COLUMNS, dim, rows)?;
    for (version, figures) in [("base", base), ("new", new)] {
        if figures.cycles.is_none() && !figures.cycles_in_words.is_empty() {
            writeln!(out, "{dim}cycles of {version}: {}{dim:#}", printable(&figures.cycles_in_words))?;
        }
    }
    Ok(())
}

/// Formats a change: `+4.2 %`, `-25 %`, `0 %`.
fn percent(change: f64) -> String {
    match change.abs() {
        0.0 => "0 %".to_owned(),
        size if size < 10.0 => format!("{change:+.1} %"),
        _ => format!("{change:+.0} %"),
    }
}
