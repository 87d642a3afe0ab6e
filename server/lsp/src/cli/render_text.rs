//! The annotated listing that `warplens analyze` prints.

mod control;
mod header;

use super::args::LineRange;
use super::output::printable;
use super::palette::{DIM, DUAL, MEMORY_OPCODE, OPCODE, PLAIN, VARIABLE};
use super::table::{self, Align, Cell, Column, Row};
use ide::report::{InstructionReport, KernelReport, LatencyReport, Report};
use std::collections::HashMap;
use std::io::{self, Write};

const COLUMNS: [Column; 8] = [
    Column { title: "line", align: Align::Right },
    Column { title: "address", align: Align::Right },
    Column { title: "control", align: Align::Left },
    Column { title: "pipe", align: Align::Left },
    Column { title: "latency", align: Align::Right },
    Column { title: "issue", align: Align::Right },
    Column { title: "", align: Align::Left },
    Column { title: "instruction", align: Align::Left },
];

const LEGEND: &str = "\
control: B scoreboards waited on, R and W scoreboard set on read and write, Y yield, S cycles until the next issue
latency: cycles until the result can be used; ~ where it varies or is estimated
issue:   predicted cycle, for one warp alone, from the start of the basic block; ┐┘ issue together
";

/// Writes the legend, the kernels and what was assumed. Kernels without a line in `lines` are left out.
pub(super) fn write(out: &mut dyn Write, report: &Report, lines: Option<LineRange>) -> io::Result<()> {
    let kernels: Vec<&KernelReport> =
        report.kernels.iter().filter(|kernel| lines.is_none() || !kernel.instructions.is_empty()).collect();
    if let (Some(lines), []) = (lines, &kernels[..]) {
        return writeln!(out, "no instruction on lines {} to {}", lines.first, lines.last);
    }
    for (index, kernel) in kernels.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        header::write(out, report, kernel)?;
        writeln!(out)?;
        if index == 0 {
            for line in LEGEND.lines() {
                writeln!(out, "{DIM}{line}{DIM:#}")?;
            }
            writeln!(out)?;
        }
        table::write(out, &COLUMNS, DIM, || rows(&kernel.instructions))?;
    }
    notes(out, &kernels)
}

fn rows(instructions: &[InstructionReport]) -> impl Iterator<Item = Row> {
    let mut previous: Option<&InstructionReport> = None;
    instructions.iter().flat_map(move |instruction| {
        let before = previous.replace(instruction);
        let second_of_pair = before.is_some_and(is_dual);
        // The count starts again with each basic block.
        let counted_on = before.is_none_or(|before| instruction.issue_cycle >= before.issue_cycle);
        let new_block = !counted_on && !second_of_pair;
        let cells = Row::Cells(cells(instruction, second_of_pair));
        new_block.then_some(Row::Gap).into_iter().chain([cells])
    })
}

fn cells(instruction: &InstructionReport, second_of_pair: bool) -> Vec<Cell> {
    let pair = match (is_dual(instruction), second_of_pair) {
        (true, _) => "┐",
        (false, true) => "┘",
        (false, false) => "",
    };
    vec![
        Cell::new(DIM, instruction.line.to_string()),
        Cell::new(DIM, format!("{:04x}", instruction.address)),
        instruction.control.as_ref().map(control::cell).unwrap_or_default(),
        Cell::new(PLAIN, instruction.pipe.as_deref().map(printable).unwrap_or_default()),
        instruction.latency.as_ref().map(latency).unwrap_or_default(),
        Cell::new(PLAIN, instruction.issue_cycle.to_string()),
        Cell::new(DUAL, pair),
        text(instruction),
    ]
}

fn is_dual(instruction: &InstructionReport) -> bool {
    instruction.control.as_ref().is_some_and(|control| control.dual)
}

fn latency(latency: &LatencyReport) -> Cell {
    if latency.kind == "variable" || latency.source.starts_with("guess") {
        Cell::new(VARIABLE, format!("~{}", latency.cycles))
    } else {
        Cell::new(PLAIN, latency.cycles.to_string())
    }
}

/// The instruction with its opcode in the colour of what it does.
fn text(instruction: &InstructionReport) -> Cell {
    let text = printable(instruction.text.trim_end());
    let style = if instruction.memory.is_some() { MEMORY_OPCODE } else { OPCODE };
    match text.split_once(instruction.opcode.as_str()) {
        Some((guard, operands)) if !instruction.opcode.is_empty() => {
            Cell::new(DIM, guard).and(style, instruction.opcode.as_str()).and(PLAIN, operands)
        }
        _ => Cell::new(PLAIN, text),
    }
}

/// What was assumed or could not be known; what several kernels share stands once, and what not all share names them.
fn notes(out: &mut dyn Write, kernels: &[&KernelReport]) -> io::Result<()> {
    const NAMED: usize = 3;
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (note, kernel) in
        kernels.iter().flat_map(|kernel| kernel.notes.iter().map(move |note| (note, kernel)))
    {
        let place = *places.entry(note).or_insert(notes.len());
        if place == notes.len() {
            notes.push((note, Vec::new()));
        }
        notes[place].1.push(&kernel.name);
    }
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNotes")?;
    for (note, names) in notes {
        write!(out, "- {}", printable(note))?;
        if names.len() < kernels.len() {
            let rest = names.len().saturating_sub(NAMED);
            let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
            let names = names[..names.len().min(NAMED)].join(", ");
            write!(out, " {DIM}({}{more}){DIM:#}", printable(&names))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
