//! The instructions at which warps stalled for a given reason.

use super::node::Hotspot;
use super::reasons::Reason;
use super::stalls::column;
use profile::Launch;
use std::collections::BTreeMap;

/// Source file and line of each instruction, by address.
pub(super) type LineOf<'a> = BTreeMap<u64, (&'a str, u32)>;

/// Returns the source line of each instruction that has one in the profile. If an instruction has several lines, the
/// first line is used.
pub(super) fn line_of(launch: &Launch) -> LineOf<'_> {
    let mut lines = LineOf::new();
    for line in &launch.lines {
        for offset in &line.offsets {
            lines.entry(*offset).or_insert((&line.file, line.number));
        }
    }
    lines
}

/// The instructions with samples of this reason, in descending order of samples; empty if the profile has no
/// samples.
pub(super) fn places(launch: &Launch, reason: &Reason, lines: &LineOf<'_>) -> Vec<Hotspot> {
    let Some(column) = column(launch, reason) else { return Vec::new() };
    let own = &launch.instructions;
    let mut samples: Vec<(usize, f64)> = (0..own.len())
        .filter_map(|at| Some((at, own.count(&column, at)?)))
        .filter(|(_, count)| *count > 0.0)
        .collect();
    let total: f64 = samples.iter().map(|(_, count)| count).sum();
    samples.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let place = |(at, count): (usize, f64)| {
        let address = own.offsets()[at];
        let line = lines.get(&address);
        Hotspot {
            address,
            text: own.text(at).map(str::to_owned),
            file: line.map(|(file, _)| (*file).to_owned()),
            line: line.map(|(_, number)| *number),
            share: count / total,
            samples: count as u64,
        }
    };
    samples.into_iter().map(place).collect()
}
