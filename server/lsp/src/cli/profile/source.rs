//! The lines of a source file with their measured figures.

use super::analysed_launch::AnalysedLaunch;
use crate::cli::failure::Failure;
use crate::cli::output::{self, printable};
use crate::read::{BINARY_BYTES, BoundedFile, never};
use crate::tree::words::percent;
use clap::ColorChoice;
use ide::profiles::{Launch, name_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Counts of a line.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct LineCounts {
    samples: f64,
    executed: f64,
}

/// Prints the lines that a launch executed. Fails if no launch has line information for a file of that name.
pub(super) fn write(path: &Path, all: &[AnalysedLaunch], color: ColorChoice) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("`{}`: {error}", path.display()));
    let file = BoundedFile::named(path, BINARY_BYTES).map_err(|error| failed(&error))?;
    let bytes = file.all(&never).map_err(|error| failed(&error))?;
    let text = String::from_utf8_lossy(&bytes);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut lines: BTreeMap<u32, LineCounts> = BTreeMap::new();
    for own in all {
        add(&own.launch, &name, &mut lines);
    }
    if lines.is_empty() {
        let expected = "expected a report of code with -lineinfo, or the page `cuda,sass`";
        return Err(failed(&format!("the profile has no line of this file; {expected}")));
    }
    let total: f64 = lines.values().map(|line| line.samples).sum();
    output::print(color, |out, palette| {
        writeln!(out, "\n{:>8} {:>12}  {}", "samples", "executed", printable(&name))?;
        for (number, line) in text.lines().enumerate() {
            let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
            let Some(measured) = lines.get(&number) else { continue };
            let share = if total > 0.0 { measured.samples / total } else { 0.0 };
            let style = palette.bottleneck(share);
            writeln!(
                out,
                "{style}{:>8}{style:#} {:>12.0}  {number:>5} {}",
                percent(share),
                measured.executed,
                printable(line)
            )?;
        }
        Ok(())
    })
}

fn add(launch: &Launch, name: &str, lines: &mut BTreeMap<u32, LineCounts>) {
    let own = &launch.instructions;
    for line in launch.lines.iter().filter(|line| name_of(&line.file) == name) {
        let measured = lines.entry(line.number).or_default();
        for at in line.offsets.iter().filter_map(|offset| own.offsets().binary_search(offset).ok()) {
            measured.samples += own.count("smsp__pcsamp_sample_count", at).unwrap_or_default();
            measured.executed += own.count("inst_executed", at).unwrap_or_default();
        }
    }
}
