//! All kernels of a file on one screen, one line each.

use super::facts::{Bottleneck, bottlenecks, whole_cycles};
use super::output::{counted, distinct, grouped, printable};
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row, columns_of, first_columns};
use ide::names::demangle;
use ide::report::{KernelReport, Report};
use std::io::{self, IsTerminal, Write};

/// The texts in a kernel's line of the summary, safe to print on a terminal. The HTML page shows the same texts in its
/// index.
#[derive(Debug)]
pub(super) struct SummaryLine {
    pub(super) name: String,
    /// Name of the launch; empty if it has none.
    pub(super) launch: String,
    pub(super) arch: String,
    pub(super) instructions: String,
    pub(super) registers: String,
    pub(super) shared: String,
    /// Bytes that spills store and load; empty if there are none.
    pub(super) spills: String,
    pub(super) occupancy: String,
    pub(super) limiter: String,
    /// Cycles of the launch, with `~` if it is assumed.
    pub(super) cycles: String,
    pub(super) worst: Option<(Bottleneck, f64)>,
}

impl SummaryLine {
    pub(super) fn new(kernel: &KernelReport) -> Self {
        let name = demangle(&kernel.name).unwrap_or_else(|| kernel.name.clone());
        let assumed = if kernel.resources.launch_assumed { "~" } else { "" };
        let known = bottlenecks(&kernel.bottlenecks)
            .into_iter()
            .filter_map(|bottleneck| bottleneck.share.map(|share| (bottleneck, share)));
        Self {
            name: printable(&name).into_owned(),
            launch: printable(kernel.launch.as_deref().unwrap_or_default()).into_owned(),
            arch: printable(&kernel.arch).into_owned(),
            instructions: grouped(kernel.instruction_count as u64),
            registers: grouped(u64::from(kernel.resources.registers)),
            shared: if kernel.resources.shared_unknown {
                "?".to_owned()
            } else {
                format!("{}{}", kernel.resources.shared_mark(), bytes(kernel.resources.shared))
            },
            spills: match kernel.resources.spill_stores + kernel.resources.spill_loads {
                0 => String::new(),
                spilled => format!("{} B", grouped(spilled.into())),
            },
            occupancy: format!("{:.0} %", kernel.occupancy.fraction * 100.0),
            limiter: printable(&kernel.occupancy.limiter).replace("shared memory", "shared"),
            cycles: whole_cycles(kernel).map_or_else(
                || match &kernel.to_state {
                    _ if kernel.is_left_out => "not predicted".to_owned(),
                    Some(missing) => printable(&missing.in_words()).into_owned(),
                    // A range of cycles that is narrow enough to be shown.
                    None if kernel.low.is_some() => kernel.cycles_in_words.clone(),
                    None => "unknown".to_owned(),
                },
                |cycles| format!("{assumed}{cycles}"),
            ),
            // Of equal bottlenecks, the first in the order of the listing.
            worst: known.reduce(|worst, other| if other.1 > worst.1 { other } else { worst }),
        }
    }

    /// One cell for each of [`COLUMNS`]. The cell for the architecture is empty if the title states the architecture.
    fn cells(&self, palette: &Palette, name: String, with_arch: bool) -> Vec<Cell> {
        let Palette { plain, dim, strong, .. } = *palette;
        let worst = self.worst.map_or_else(
            || Cell::new(dim, "?"),
            |(bottleneck, share)| {
                Cell::new(palette.bottleneck(share), format!("{:<4} {share:.2}", bottleneck.name))
            },
        );
        let cell = |text: &String| Cell::new(plain, text.clone());
        vec![
            Cell::new(strong, name),
            cell(&self.launch),
            Cell::new(dim, if with_arch { self.arch.as_str() } else { "" }),
            cell(&self.instructions),
            cell(&self.registers),
            cell(&self.shared),
            cell(&self.spills),
            cell(&self.occupancy),
            Cell::new(dim, self.limiter.clone()),
            cell(&self.cycles),
            worst,
        ]
    }
}

pub(super) const COLUMNS: [Column; 11] = [
    Column { title: "kernel", align: Align::Left },
    Column { title: "launch", align: Align::Left },
    Column { title: "arch", align: Align::Left },
    Column { title: "instr.", align: Align::Right },
    Column { title: "regs", align: Align::Right },
    Column { title: "shared", align: Align::Right },
    Column { title: "spills", align: Align::Right },
    Column { title: "occ.", align: Align::Right },
    Column { title: "limited by", align: Align::Left },
    Column { title: "cycles", align: Align::Right },
    Column { title: "worst", align: Align::Left },
];

pub(super) const LEGEND: &str = "cycles: of the launch; ~ assumed or inferred; worst: largest bottleneck of the ICS'17 model, 0 best, 1 worst";

/// The space available for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Screen {
    pub(super) columns: usize,
    /// Number of lines; `None` for no limit.
    pub(super) lines: Option<usize>,
}

impl Screen {
    /// The size of the terminal on stdout, or the usual size if it is unknown. For a file or a pipe, the
    /// number of lines is unlimited.
    pub(super) fn of_stdout() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        match terminal_size::terminal_size_of(stdout).filter(|_| terminal) {
            Some((terminal_size::Width(columns), terminal_size::Height(lines))) => {
                Self { columns: columns.into(), lines: Some(lines.into()) }
            }
            None => Self { columns: 120, lines: terminal.then_some(24) },
        }
    }

    /// Returns how many of the kernels fit on the screen together with the title, the column titles, the
    /// legend, the line about omitted kernels, and the next prompt.
    fn fits(self, kernels: usize) -> usize {
        let Some(lines) = self.lines else { return kernels };
        let adjacent = if kernels + 4 <= lines { 4 } else { 5 };
        kernels.min(lines.saturating_sub(adjacent).max(1))
    }
}

/// Writes a line for each kernel at each of its launches; the lines that do not fit are only counted.
pub(super) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    outline: &Report,
    heads: &[KernelReport],
    screen: Screen,
) -> io::Result<()> {
    let Palette { dim, .. } = palette;
    writeln!(out, "{}", title(outline, heads))?;
    let lines: Vec<SummaryLine> = heads[..screen.fits(heads.len())].iter().map(SummaryLine::new).collect();
    let with_arch = common_arch(heads).is_none();
    let cells = |line: &SummaryLine, name| line.cells(palette, name, with_arch);
    let unnamed: Vec<Vec<Cell>> = lines.iter().map(|line| cells(line, String::new())).collect();
    let room = room_for_names(&unnamed, screen.columns);
    let rows = || lines.iter().map(|line| Row::Cells(cells(line, shortened(&line.name, room))));
    table::write(out, &COLUMNS, *dim, rows)?;
    let rest = heads.len() - lines.len();
    if rest > 0 {
        writeln!(
            out,
            "… and {} more: --function NAME shows one, --summary in a pipe (`| less`) shows all",
            grouped(rest as u64)
        )?;
    }
    writeln!(out, "{dim}{LEGEND}{dim:#}")
}

/// Title of the summary: `3 kernels of sm_90, timed for H100 SXM5 80 GB by the paper model`.
pub(super) fn title(outline: &Report, heads: &[KernelReport]) -> String {
    let kernels = counted(heads.len(), "kernel");
    let arch = common_arch(heads).map(|arch| format!(" of {}", printable(arch))).unwrap_or_default();
    let models = distinct(heads.iter().map(|kernel| kernel.cycles_model)).join(", ");
    format!("{kernels}{arch}, timed for {} by the {models} model", printable(&outline.gpu))
}

/// The architecture of all kernels; `None` if they differ.
fn common_arch(heads: &[KernelReport]) -> Option<&str> {
    let first = heads.first()?.arch.as_str();
    heads.iter().all(|kernel| kernel.arch == first).then_some(first)
}

/// Number of columns that the other cells leave for the names.
fn room_for_names(rows: &[Vec<Cell>], columns: usize) -> usize {
    // A shorter name is not recognisable.
    const MIN: usize = 10; // limit: a shorter name is not recognisable
    let others: usize = COLUMNS
        .iter()
        .enumerate()
        .filter_map(|(index, column)| {
            let widest = rows.iter().map(|cells| cells[index].width()).max().filter(|width| *width > 0)?;
            Some(widest.max(columns_of(column.title)) + table::GAP)
        })
        .sum();
    columns.saturating_sub(others).max(MIN)
}

/// Shortens a text that is wider than `columns` by omitting its middle, because names differ at their ends.
fn shortened(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let first = first_columns(text.chars(), kept.div_ceil(2));
    let last: String = first_columns(text.chars().rev(), kept / 2);
    format!("{first}…{}", last.chars().rev().collect::<String>())
}

/// Formats a size: `8 KiB`, `2,112 B`.
fn bytes(count: u32) -> String {
    if count >= 1024 && count.is_multiple_of(1024) {
        format!("{} KiB", count / 1024)
    } else {
        format!("{} B", grouped(u64::from(count)))
    }
}

#[cfg(test)]
mod tests;
