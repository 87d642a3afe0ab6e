//! Control codes in CuAssembler's notation, `B0-----:R-:W2:-:S04`.

use super::super::palette::{DIM, PLAIN, VARIABLE};
use super::super::table::Cell;
use ide::report::ControlReport;

/// The code with what it asks for bright and the rest dim.
pub(super) fn cell(control: &ControlReport) -> Cell {
    let waits: String =
        (0..6).map(|barrier| if control.wait.contains(&barrier) { digit(barrier) } else { '-' }).collect();
    let mut cell = Cell::default();
    cell = part(cell, format!("B{waits}"), !control.wait.is_empty());
    for (letter, barrier) in [('R', control.read_barrier), ('W', control.write_barrier)] {
        cell = part(cell.and(DIM, ":"), format!("{letter}{}", barrier.map_or('-', digit)), barrier.is_some());
    }
    cell = part(cell.and(DIM, ":"), if control.yields { "Y" } else { "-" }.to_owned(), control.yields);
    let stall = control.stall.map_or_else(|| "S--".to_owned(), |cycles| format!("S{cycles:02}"));
    cell.and(DIM, ":").and(PLAIN, stall)
}

fn part(cell: Cell, text: String, active: bool) -> Cell {
    cell.and(if active { VARIABLE } else { DIM }, text)
}

fn digit(barrier: u8) -> char {
    char::from_digit(u32::from(barrier), 10).unwrap_or('?')
}
