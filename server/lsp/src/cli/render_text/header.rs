//! The header above a kernel's instructions: its name, its resources, its time and its limiter.

use super::super::facts::{advice, bottlenecks, facts};
use super::super::output::printable;
use super::super::palette::Palette;
use ide::names::demangle;
use ide::report::{KernelReport, Report};
use std::io::{self, Write};

pub(super) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    outline: &Report,
    kernel: &KernelReport,
) -> io::Result<()> {
    let Palette { dim, strong, .. } = palette;
    let name = printable(&kernel.name);
    match demangle(&kernel.name) {
        Some(demangled) => {
            writeln!(out, "{strong}{}{strong:#}  {dim}{name}{dim:#}", printable(&demangled))?;
        }
        None => writeln!(out, "{strong}{name}{strong:#}")?,
    }
    for (label, text) in facts(outline, kernel) {
        writeln!(out, "  {dim}{label:<11}{dim:#} {text}")?;
    }
    for (index, bottleneck) in bottlenecks(&kernel.bottlenecks).into_iter().enumerate() {
        let label = if index == 0 { "bottlenecks" } else { "" };
        write!(out, "  {dim}{label:<11}{dim:#} {:<4} ", bottleneck.name)?;
        match bottleneck.share {
            Some(share) => {
                let style = palette.bottleneck(share);
                let (full, rest) = bar(share);
                write!(out, "{style}{full}{style:#}{dim}{rest}{dim:#} {share:.2}")?;
            }
            None => write!(out, "{dim}{}{dim:#}    ?", "·".repeat(BAR_CELLS))?,
        }
        writeln!(out, "  {dim}{}{dim:#}", bottleneck.meaning)?;
    }
    for (index, line) in advice(kernel).into_iter().enumerate() {
        let label = if index == 0 { "advice" } else { "" };
        writeln!(out, "  {dim}{label:<11}{dim:#} {line}")?;
    }
    Ok(())
}

const BAR_CELLS: usize = 10; // limit: width of a bar, in characters

/// Returns the filled and the empty part of a bar for a share from 0 to 1. The filled part has a resolution
/// of an eighth of a cell.
fn bar(share: f64) -> (String, String) {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR_CELLS * 8) as f64).round() as usize;
    let full = "█".repeat(eighths / 8) + PARTS[eighths % 8];
    let used = eighths.div_ceil(8);
    (full, "·".repeat(BAR_CELLS - used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_equally_long() {
        for (share, expected) in
            [(0.0, ""), (0.5, "█████"), (0.31, "███▏"), (1.0, "██████████"), (7.0, "██████████")]
        {
            let (full, rest) = bar(share);
            assert_eq!(full, expected);
            assert_eq!(full.chars().count() + rest.chars().count(), BAR_CELLS);
        }
    }
}
