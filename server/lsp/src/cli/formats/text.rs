//! Findings for people: the location, the message, and the source line with the range marked.

use super::super::check::{Finding, Outcome};
use super::super::output::{counted, printable};
use super::super::palette::Palette;
use super::super::table::first_columns;
use ide::Severity;
use ide::names::demangle;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(crate) fn write(out: &mut dyn Write, palette: &Palette, outcome: &Outcome) -> io::Result<()> {
    for finding in &outcome.findings {
        write_finding(out, palette, finding)?;
        writeln!(out)?;
    }
    writeln!(out, "{}", summary(outcome))
}

fn write_finding(out: &mut dyn Write, palette: &Palette, finding: &Finding) -> io::Result<()> {
    let Palette { dim, strong, .. } = palette;
    let style = palette.severity(finding.severity);
    writeln!(
        out,
        "{strong}{}:{}:{}:{strong:#} {style}{}[{}]{style:#} {}",
        printable(&finding.file),
        finding.start.line,
        finding.start.column,
        finding.severity.name(),
        finding.code,
        printable(&finding.message)
    )?;
    let number = finding.start.line.to_string();
    let margin = " ".repeat(number.len());
    let excerpt = Excerpt::cut(finding);
    writeln!(out, " {dim}{margin} |{dim:#}")?;
    writeln!(out, " {dim}{number} |{dim:#} {}", excerpt.text.trim_end())?;
    writeln!(
        out,
        " {dim}{margin} |{dim:#} {}{style}{}{style:#}",
        " ".repeat(excerpt.before),
        "^".repeat(excerpt.marked)
    )?;
    for (place, message) in &finding.related {
        writeln!(out, " {dim}{margin} ={dim:#} {}:{}: {}", place.line, place.column, printable(message))?;
    }
    if let Some(function) = &finding.function {
        let function = demangle(function).unwrap_or_else(|| function.clone());
        let address = finding.address.map(|address| format!(" at {address:04x}")).unwrap_or_default();
        writeln!(out, " {dim}{margin} = in {}{address}{dim:#}", printable(&function))?;
    }
    Ok(())
}

/// A source line as printed. Tabs are expanded, and the line is cut to a window around the marked range.
struct Excerpt {
    text: String,
    /// Number of terminal columns before the mark, and width of the mark, which is at least one column.
    before: usize,
    marked: usize,
}

impl Excerpt {
    fn cut(finding: &Finding) -> Self {
        const WIDTH: usize = 120; // limit: the width of a terminal
        const CONTEXT_BEFORE: usize = 40; // limit: a third of the width
        let (line, range) = &finding.excerpt;
        let (before, marked, after) = (&line[..range.start], &line[range.clone()], &line[range.end..]);
        let (before, marked, after) = (widened(before), widened(marked), widened(after));
        if before.width() + marked.width() + after.width() <= WIDTH {
            let (columns, width) = (before.width(), marked.width());
            return Self { text: before + &marked + after.trim_end(), before: columns, marked: width.max(1) };
        }
        let skipped = before.chars().count().saturating_sub(CONTEXT_BEFORE);
        let mut head: String = before.chars().skip(skipped).collect();
        if skipped > 0 {
            head.insert(0, '…');
        }
        let columns = head.width();
        let room = WIDTH.saturating_sub(columns);
        let marked = first_columns(marked.chars(), room);
        let rest = first_columns(after.chars(), room - marked.width());
        let cut = if rest.len() < after.len() { "…" } else { "" };
        Self { before: columns, marked: marked.width().max(1), text: format!("{head}{marked}{rest}{cut}") }
    }
}

fn widened(text: &str) -> String {
    printable(&text.replace('\t', "    ")).into_owned()
}

fn summary(outcome: &Outcome) -> String {
    let checked = format!("{} checked", counted(outcome.files_checked, "file"));
    if outcome.findings.is_empty() {
        return format!("no findings, {checked}");
    }
    let of = |severity| outcome.findings.iter().filter(|finding| finding.severity == severity).count();
    let kinds = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint]
        .into_iter()
        .filter(|severity| of(*severity) > 0)
        .map(|severity| match severity {
            Severity::Info => format!("{} info", of(severity)),
            _ => counted(of(severity), severity.name()),
        });
    let kinds: Vec<String> = kinds.collect();
    format!("{} ({}), {checked}", counted(outcome.findings.len(), "finding"), kinds.join(", "))
}
