//! The costs of source lines, printed below the instructions of a kernel.

use crate::cli::output::printable;
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use ide::report::LineCost;
use std::io::{self, Write};

const COLUMNS: [Column; 5] = [
    Column { title: "source line", align: Align::Left },
    Column { title: "instructions", align: Align::Right },
    Column { title: "issue slots", align: Align::Right },
    Column { title: "stall cycles", align: Align::Right },
    Column { title: "share", align: Align::Right },
];

/// Writes a table of the source lines, in the order of `lines`.
pub(super) fn write(out: &mut dyn Write, palette: &Palette, lines: &[LineCost]) -> io::Result<()> {
    writeln!(out)?;
    if lines.is_empty() {
        return writeln!(
            out,
            "no source lines: the code has no line table; compile with -lineinfo and disassemble with nvdisasm -g"
        );
    }
    let figure = |figure: Option<f64>| figure.map_or_else(|| "?".to_owned(), |figure| format!("{figure:.0}"));
    let cells = |line: &LineCost| {
        let place = match &*line.file {
            "" => format!("line {}", line.line),
            file => format!("{}:{}", printable(file), line.line),
        };
        let share = line.share.map_or_else(|| "?".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        Row::Cells(vec![
            Cell::new(palette.plain, place),
            Cell::new(palette.plain, line.instructions.to_string()),
            Cell::new(palette.plain, figure(line.issue_slots)),
            Cell::new(palette.plain, figure(line.stall_cycles)),
            Cell::new(palette.strong, share),
        ])
    };
    table::write(out, &COLUMNS, palette.dim, || lines.iter().map(cells))
}
