//! The annotated listing that `warplens analyze` prints.

mod by_line;
mod control;
mod header;

pub(super) use control::notation;

use super::output::printable;
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row};
use ide::report::{InstructionReport, KernelReport, LatencyReport, Report};
use std::collections::HashMap;
use std::io::{self, Write};

const COLUMNS: [Column; 10] = [
    Column { title: "line", align: Align::Right },
    Column { title: "address", align: Align::Right },
    Column { title: "control", align: Align::Left },
    Column { title: "SASS", align: Align::Left },
    Column { title: "pipe", align: Align::Left },
    Column { title: "latency", align: Align::Right },
    Column { title: "issue", align: Align::Right },
    Column { title: "", align: Align::Left },
    Column { title: "stall", align: Align::Left },
    Column { title: "instruction", align: Align::Left },
];

const CONTROL: &str = "control: B scoreboards waited on, R and W scoreboard set on read and write, Y yield, S cycles \
                       until the next issue";
const KEPLER_CONTROL: &str = "control: waits for T texture, G global and S shared memory, D dual issue possible, cycles until \
                              the next issue (as KeplerAs writes it)";
const COUNTS: [&str; 2] = [
    "latency: cycles until the result can be used; ~ if it varies or is estimated",
    "issue:   predicted cycle, for a single warp, from the start of the basic block; ┐┘ dual issue",
];

const STALL: &str =
    "stall:   cycles lost, the reason in Nsight Compute's terms, the address of the instruction waited for";

/// A listing that is written kernel by kernel. The legend precedes the first kernel; the assumptions follow
/// the last.
pub(super) struct Listing<'a> {
    outline: &'a Report,
    palette: &'a Palette,
    kernels: usize,
    notes: Notes,
}

impl<'a> Listing<'a> {
    pub(super) fn new(outline: &'a Report, palette: &'a Palette) -> Self {
        Self { outline, palette, kernels: 0, notes: Notes::default() }
    }

    pub(super) fn kernel(&mut self, out: &mut dyn Write, kernel: &KernelReport) -> io::Result<()> {
        if self.kernels > 0 {
            writeln!(out)?;
        }
        header::write(out, self.palette, self.outline, kernel)?;
        writeln!(out)?;
        if self.kernels == 0 {
            self.legend(out, kernel)?;
        }
        let rows = || rows(&kernel.instructions, self.palette);
        table::write(out, &COLUMNS, self.palette.dim, rows)?;
        if let Some(lines) = &kernel.lines {
            by_line::write(out, self.palette, lines)?;
        }
        self.kernels += 1;
        self.notes.add(kernel);
        Ok(())
    }

    /// True until a kernel is written.
    pub(super) fn is_empty(&self) -> bool {
        self.kernels == 0
    }

    pub(super) fn finish(self, out: &mut dyn Write) -> io::Result<()> {
        self.notes.write(out, self.palette, self.kernels)
    }

    fn legend(&self, out: &mut dyn Write, kernel: &KernelReport) -> io::Result<()> {
        let Palette { dim, .. } = self.palette;
        let control = kernel.instructions.iter().find_map(|instruction| instruction.control.as_ref());
        let control = control.map(|control| if control.kepler.is_some() { KEPLER_CONTROL } else { CONTROL });
        let has_stalls = kernel.instructions.iter().any(|instruction| instruction.stall.is_some());
        let stall = has_stalls.then_some(STALL);
        for line in control.into_iter().chain(COUNTS).chain(stall) {
            writeln!(out, "{dim}{line}{dim:#}")?;
        }
        writeln!(out)
    }
}

fn rows<'a>(instructions: &'a [InstructionReport], palette: &'a Palette) -> impl Iterator<Item = Row> + 'a {
    let mut previous: Option<&InstructionReport> = None;
    instructions.iter().flat_map(move |instruction| {
        let before = previous.replace(instruction);
        let cells = Row::Cells(cells(instruction, before.is_some_and(is_dual), palette));
        starts_block(before, instruction).then_some(Row::Gap).into_iter().chain([cells])
    })
}

/// True if `instruction` begins a basic block, where issue cycles are counted from 0 again.
pub(super) fn starts_block(before: Option<&InstructionReport>, instruction: &InstructionReport) -> bool {
    before.is_some_and(|before| {
        let falls = || instruction.issue_cycle < before.issue_cycle && !is_dual(before);
        instruction.starts_block.unwrap_or_else(falls)
    })
}

/// Half of the bracket that marks two dual-issued instructions: `┐` for the first and `┘` for the second. Empty for any
/// other instruction.
pub(super) fn pair_mark(instruction: &InstructionReport, second_of_pair: bool) -> &'static str {
    match (is_dual(instruction), second_of_pair) {
        (true, _) => "┐",
        (false, true) => "┘",
        (false, false) => "",
    }
}

fn cells(instruction: &InstructionReport, second_of_pair: bool, palette: &Palette) -> Vec<Cell> {
    let Palette { plain, dim, dual, .. } = *palette;
    let address =
        if instruction.address_printed { format!("{:04x}", instruction.address) } else { String::new() };
    vec![
        Cell::new(dim, instruction.line.to_string()),
        Cell::new(dim, address),
        instruction.control.as_ref().map(|control| control::cell(control, palette)).unwrap_or_default(),
        Cell::new(dim, sass(instruction)),
        Cell::new(plain, instruction.pipe.as_deref().map(printable).unwrap_or_default()),
        instruction.latency.as_ref().map(|latency| cycles(latency, palette)).unwrap_or_default(),
        Cell::new(plain, instruction.issue_cycle.map(|cycle| cycle.to_string()).unwrap_or_default()),
        Cell::new(dual, pair_mark(instruction, second_of_pair)),
        Cell::new(dim, stall(instruction)),
        text(instruction, palette),
    ]
}

/// `18 short_scoreboard 0080`: cycles, the reason and the instruction waited for. For `wait`, the instruction
/// is omitted because it is the previous instruction.
fn stall(instruction: &InstructionReport) -> String {
    let Some(stall) = instruction.stall.as_ref().filter(|stall| stall.cycles > 0) else {
        return String::new();
    };
    let reason = stall.reason.unwrap_or_default();
    let (address, line) = (stall.on_address.filter(|_| instruction.address_printed), stall.on_line);
    match (address, line) {
        (Some(on), _) if reason != "wait" => format!("{} {reason} {on:04x}", stall.cycles),
        (_, Some(on)) if reason != "wait" => format!("{} {reason} line {on}", stall.cycles),
        _ => format!("{} {reason}", stall.cycles),
    }
}

/// `LDG.E`, `MUFU.RCP +7`: the SASS that a PTX instruction is expected to become, given as the first opcode and the
/// number of other instructions. `-` if no SASS is expected; empty for a SASS instruction.
pub(super) fn sass(instruction: &InstructionReport) -> String {
    let Some(sass) = &instruction.sass else { return String::new() };
    let Some(first) = sass.first() else { return "-".to_owned() };
    let text = first.text.trim_start();
    let unguarded =
        text.strip_prefix('@').and_then(|text| text.split_once(' ')).map_or(text, |(_, text)| text);
    let opcode = printable(unguarded.split(' ').next().unwrap_or_default());
    match sass.len() - 1 {
        0 => opcode.into_owned(),
        more => format!("{opcode} +{more}"),
    }
}

pub(super) fn is_dual(instruction: &InstructionReport) -> bool {
    instruction.control.as_ref().is_some_and(|control| control.dual)
}

/// True for a latency that varies from run to run, or is a guess.
pub(super) fn is_estimate(latency: &LatencyReport) -> bool {
    latency.kind == "variable" || latency.source.starts_with("guess")
}

fn cycles(latency: &LatencyReport, palette: &Palette) -> Cell {
    if is_estimate(latency) {
        Cell::new(palette.variable, format!("~{}", latency.cycles))
    } else {
        Cell::new(palette.plain, latency.cycles.to_string())
    }
}

/// Splits an instruction's text into the guard with the blank after it, the opcode with its modifiers, and the operands
/// with the blank before them.
///
/// If the opcode is not found, the whole text counts as operands.
pub(super) fn split<'a>(instruction: &InstructionReport, text: &'a str) -> [&'a str; 3] {
    match text.split_once(instruction.opcode.as_str()) {
        Some((guard, operands)) if !instruction.opcode.is_empty() => {
            [guard, &text[guard.len()..text.len() - operands.len()], operands]
        }
        _ => ["", "", text],
    }
}

/// The instruction, with its opcode in the colour of its kind.
fn text(instruction: &InstructionReport, palette: &Palette) -> Cell {
    let text = printable(instruction.text.trim_end());
    let [guard, opcode, operands] = split(instruction, &text);
    let style = if instruction.memory.is_some() { palette.memory_opcode } else { palette.opcode };
    Cell::new(palette.dim, guard).and(style, opcode).and(palette.plain, operands)
}

/// Assumptions and unknown facts. A note about several kernels is written once; a note that does not apply to
/// all kernels names its kernels.
#[derive(Debug, Default)]
struct Notes {
    /// Each note with the first kernels it applies to, and the number of all such kernels.
    notes: Vec<(String, Vec<String>, usize)>,
    places: HashMap<String, usize>,
}

impl Notes {
    const NAMED: usize = 3; // limit: room in a line

    fn add(&mut self, kernel: &KernelReport) {
        for note in &kernel.notes {
            let place = *self.places.entry(note.clone()).or_insert(self.notes.len());
            if place == self.notes.len() {
                self.notes.push((note.clone(), Vec::new(), 0));
            }
            let (_, names, count) = &mut self.notes[place];
            *count += 1;
            if names.len() < Self::NAMED {
                names.push(kernel.name.clone());
            }
        }
    }

    fn write(&self, out: &mut dyn Write, palette: &Palette, kernels: usize) -> io::Result<()> {
        if self.notes.is_empty() {
            return Ok(());
        }
        let Palette { dim, .. } = palette;
        writeln!(out, "\nNotes")?;
        for (note, names, count) in &self.notes {
            write!(out, "- {}", printable(note))?;
            if *count < kernels {
                let rest = count - names.len();
                let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
                write!(out, " {dim}({}{more}){dim:#}", printable(&names.join(", ")))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests;
