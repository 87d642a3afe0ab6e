//! The analysis as one page that needs no other file, no script and no network.
//!
//! A long listing has hundreds of thousands of rows, so a row has no inline styles and no end tags, which HTML lets
//! authors omit.

use super::facts::{advice, bottlenecks, facts};
use super::output::{printable, write_escaped};
use super::render_text::{is_dual, is_estimate, notation, pair_mark, split, starts_block};
use super::summary::{self, SummaryLine};
use ide::names::demangle;
use ide::report::{InstructionReport, KernelReport, LatencyReport, Report};
use std::fmt;
use std::io::{self, Write};

const STYLE: &str = include_str!("render_html/page.css");

/// The HTML page without its kernels: its beginning, its index and its end.
pub(super) struct Page<'a> {
    /// Name of the file.
    pub(super) name: &'a str,
    pub(super) outline: &'a Report,
    /// All kernels without their instructions, in order.
    pub(super) heads: &'a [KernelReport],
}

impl Page<'_> {
    /// Writes the part above the kernels.
    pub(super) fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        // Recipients of the page have other folders, so the path is omitted.
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        let name = Escaped(&printable(name)).to_string();
        writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        // Nothing in the page may load a resource, whatever text a listing contains.
        writeln!(
            out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        )?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<meta name=\"generator\" content=\"warplens {}\">", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
        writeln!(out, "<header>\n<h1>{name}</h1>")?;
        writeln!(out, "<p>{}</p>\n</header>", Escaped(&summary::title(self.outline, self.heads)))?;
        self.index(out)?;
        writeln!(out, "<main>")
    }

    /// Writes the part below the kernels.
    pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</main>\n<footer>")?;
        for line in LEGEND {
            writeln!(out, "<p>{line}</p>")?;
        }
        writeln!(out, "</footer>\n</body>\n</html>")
    }

    fn index(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.heads.is_empty() {
            return writeln!(out, "<p>There is no instruction on these lines.</p>");
        }
        let no_launch = self.heads.iter().all(|kernel| kernel.launch.is_none());
        writeln!(out, "<nav>\n<table class=\"index{}\">\n<thead>", if no_launch { " no2" } else { "" })?;
        write!(out, "<tr>")?;
        for column in summary::COLUMNS {
            write!(out, "<th>{}", column.title)?;
        }
        writeln!(out, "\n</thead>\n<tbody>")?;
        for (index, kernel) in self.heads.iter().enumerate() {
            let line = SummaryLine::new(kernel);
            write!(out, "<tr><td><a href=\"#k{}\">{}</a>", index + 1, Escaped(&line.name))?;
            let cells = [
                &line.launch,
                &line.arch,
                &line.instructions,
                &line.registers,
                &line.shared,
                &line.spills,
                &line.occupancy,
                &line.limiter,
                &line.cycles,
            ];
            for cell in cells {
                write!(out, "<td>{}", Escaped(cell))?;
            }
            match line.worst {
                Some((bottleneck, share)) => {
                    writeln!(out, "<td>{} {} {share:.2}", ShareBar(share), bottleneck.name)?;
                }
                None => writeln!(out, "<td>?")?,
            }
        }
        writeln!(out, "</tbody>\n</table>\n</nav>")
    }

    /// Writes the kernel with this position in the index.
    pub(super) fn kernel(&self, out: &mut dyn Write, index: usize, kernel: &KernelReport) -> io::Result<()> {
        let name = printable(&kernel.name);
        write!(out, "<section id=\"k{}\">\n<h2>", index + 1)?;
        match demangle(&kernel.name) {
            Some(demangled) => {
                writeln!(out, "{} <small>{}</small></h2>", Escaped(&printable(&demangled)), Escaped(&name))?;
            }
            None => writeln!(out, "{}</h2>", Escaped(&name))?,
        }
        writeln!(out, "<dl>")?;
        for (label, text) in facts(self.outline, kernel) {
            writeln!(out, "<dt>{label}<dd>{}", Escaped(&text))?;
        }
        writeln!(out, "</dl>\n<dl class=\"shares\">")?;
        for bottleneck in bottlenecks(&kernel.bottlenecks) {
            write!(out, "<dt>{}", bottleneck.name)?;
            match bottleneck.share {
                Some(share) => write!(out, "<dd>{}<dd>{share:.2}", ShareBar(share))?,
                None => write!(out, "<dd><dd>?")?,
            }
            writeln!(out, "<dd class=\"dim\">{}", bottleneck.meaning)?;
        }
        writeln!(out, "</dl>")?;
        let advice = advice(kernel);
        if !advice.is_empty() {
            writeln!(out, "<ul class=\"advice\">")?;
            for line in advice {
                writeln!(out, "<li>{}", Escaped(&line))?;
            }
            writeln!(out, "</ul>")?;
        }
        if !kernel.instructions.is_empty() {
            code(out, &kernel.instructions)?;
        }
        if !kernel.notes.is_empty() {
            writeln!(out, "<ul>")?;
            for note in &kernel.notes {
                writeln!(out, "<li>{}", Escaped(&printable(note)))?;
            }
            writeln!(out, "</ul>")?;
        }
        writeln!(out, "</section>")
    }
}

const LEGEND: [&str; 4] = [
    "control: B scoreboards waited on, R and W scoreboard set on read and write, Y yield, S cycles until the next issue; \
     Kepler’s as KeplerAs writes it: waits for T texture, G global and S shared memory, D dual issue possible, cycles until the \
     next issue",
    "latency: cycles until the result can be used; ~ if it varies or is estimated; hover for its source",
    "issue: predicted cycle, for a single warp, from the start of the basic block; hover for what it waits for; \
     ┐┘ dual issue",
    "bottlenecks of the ICS'17 model: 0 best, 1 worst; ~ before the cycles of an assumed launch",
];

/// Column titles; columns 2 to 5 and 7 are hidden if they are empty.
const COLUMNS: &str = "<th>line<th>address<th>control<th>pipe<th>latency<th>issue<th><th>instruction";

/// Writes the table of a kernel, with a `tbody` per basic block.
fn code(out: &mut dyn Write, instructions: &[InstructionReport]) -> io::Result<()> {
    let empty = [
        (2, instructions.iter().all(|instruction| !instruction.address_printed)),
        (3, instructions.iter().all(|instruction| instruction.control.is_none())),
        (4, instructions.iter().all(|instruction| instruction.pipe.is_none())),
        (5, instructions.iter().all(|instruction| instruction.latency.is_none())),
        (7, !instructions.iter().any(is_dual)),
    ];
    write!(out, "<table class=\"code")?;
    for (column, _) in empty.iter().filter(|(_, empty)| *empty) {
        write!(out, " no{column}")?;
    }
    writeln!(out, "\">\n<thead>\n<tr>{COLUMNS}\n</thead>")?;
    let mut before: Option<&InstructionReport> = None;
    for instruction in instructions {
        if before.is_none() || starts_block(before, instruction) {
            writeln!(out, "<tbody>")?;
        }
        row(out, instruction, before.is_some_and(is_dual))?;
        before = Some(instruction);
    }
    writeln!(out, "</table>")
}

fn row(out: &mut dyn Write, instruction: &InstructionReport, second_of_pair: bool) -> io::Result<()> {
    write!(out, "<tr><td>{}<td>", instruction.line)?;
    if instruction.address_printed {
        write!(out, "{:04x}", instruction.address)?;
    }
    out.write_all(b"<td>")?;
    if let Some(control) = &instruction.control {
        out.write_all(notation(control).as_bytes())?;
    }
    out.write_all(b"<td>")?;
    if let Some(pipe) = &instruction.pipe {
        write!(out, "{}", Escaped(&printable(pipe)))?;
    }
    match &instruction.latency {
        Some(latency) => self::latency(out, latency)?,
        None => out.write_all(b"<td>")?,
    }
    issue(out, instruction)?;
    write!(out, "<td>{}<td{}>", pair_mark(instruction, second_of_pair), ExpectedSass(instruction))?;
    let text = printable(instruction.text.trim_end());
    let [guard, opcode, operands] = split(instruction, &text);
    if !guard.is_empty() {
        write!(out, "<i>{}</i>", Escaped(guard))?;
    }
    if !opcode.is_empty() {
        let class = if instruction.memory.is_some() { " class=m" } else { "" };
        write!(out, "<b{class}>{}</b>", Escaped(opcode))?;
    }
    writeln!(out, "{}", Escaped(operands))
}

fn latency(out: &mut dyn Write, latency: &LatencyReport) -> io::Result<()> {
    let source = printable(&latency.source);
    let (class, mark) = if is_estimate(latency) { (" class=e", "~") } else { ("", "") };
    write!(out, "<td{class} title=\"{}: {}\">{mark}{}", latency.kind, Escaped(&source), latency.cycles)
}

fn issue(out: &mut dyn Write, instruction: &InstructionReport) -> io::Result<()> {
    out.write_all(b"<td")?;
    for (index, dependence) in instruction.depends_on.iter().enumerate() {
        out.write_all(if index == 0 { b" title=\"waits for " } else { b", " })?;
        match dependence.line {
            Some(line) => write!(out, "line {line}"),
            None => {
                write!(out, "{} of {:04x}", Escaped(&printable(&dependence.resource)), dependence.address)
            }
        }?;
    }
    if !instruction.depends_on.is_empty() {
        out.write_all(b"\"")?;
    }
    out.write_all(b">")?;
    instruction.issue_cycle.map_or(Ok(()), |cycle| write!(out, "{cycle}"))
}

/// Formats the SASS that a PTX instruction is expected to become as the `title` attribute of a table cell. Empty for a
/// SASS instruction.
struct ExpectedSass<'a>(&'a InstructionReport);

impl fmt::Display for ExpectedSass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(sass) = &self.0.sass else { return Ok(()) };
        let texts: Vec<&str> = sass.iter().map(|sass| sass.text.as_str()).collect();
        write!(f, " title=\"{}\"", Escaped(&printable(&texts.join("; "))))
    }
}

/// A bar for a share from 0, good, to 1, bad.
struct ShareBar(f64);

impl fmt::Display for ShareBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.0.clamp(0.0, 1.0);
        write!(f, "<meter low=\".333\" high=\".667\" optimum=\"0\" value=\"{share:.2}\"></meter>")
    }
}

/// Text with special characters escaped, for use between tags and in a quoted attribute.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0, &['&', '<', '>', '"', '\''])
    }
}

#[cfg(test)]
mod tests;
