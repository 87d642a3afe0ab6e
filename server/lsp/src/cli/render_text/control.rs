//! Control codes in CuAssembler's notation, `B0-----:R-:W2:-:S04`, and Kepler's control codes in the notation
//! of KeplerAs, `-:-:D:-:04`.

use super::super::palette::Palette;
use super::super::table::Cell;
use ide::report::ControlReport;

/// Table cell of a control code. Active fields are bright, the other fields are dim. Kepler's codes are in
/// the notation of KeplerAs.
pub(super) fn cell(control: &ControlReport, palette: &Palette) -> Cell {
    let part = |cell: Cell, text: &str, active: bool| {
        cell.and(if active { palette.variable } else { palette.dim }, text)
    };
    if let Some(flags) = &control.kepler {
        let (flags, stall) = flags.rsplit_once(':').unwrap_or(("", flags));
        let cell = flags
            .split(':')
            .fold(Cell::default(), |cell, flag| part(cell, flag, flag != "-").and(palette.dim, ":"));
        return cell.and(palette.plain, stall);
    }
    let waits: String =
        (0..6).map(|barrier| if control.wait.contains(&barrier) { digit(barrier) } else { '-' }).collect();
    let mut cell = part(Cell::default(), &format!("B{waits}"), !control.wait.is_empty());
    for (letter, barrier) in [('R', control.read_barrier), ('W', control.write_barrier)] {
        let text = format!("{letter}{}", barrier.map_or('-', digit));
        cell = part(cell.and(palette.dim, ":"), &text, barrier.is_some());
    }
    cell = part(cell.and(palette.dim, ":"), if control.yields { "Y" } else { "-" }, control.yields);
    let stall = control.stall.map_or_else(|| "S--".to_owned(), |cycles| format!("S{cycles:02}"));
    cell.and(palette.dim, ":").and(palette.plain, stall)
}

/// The control code as plain text.
pub(in super::super) fn notation(control: &ControlReport) -> String {
    cell(control, &Palette::PLAIN).to_string()
}

fn digit(barrier: u8) -> char {
    char::from_digit(u32::from(barrier), 10).unwrap_or('?')
}
