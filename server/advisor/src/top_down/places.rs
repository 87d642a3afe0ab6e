//! The instructions at which warps stalled for a reason.

use super::node::Place;
use super::reasons::Reason;
use super::stalls::column;
use profile::Launch;

/// The instructions with samples of that reason, the one with the most first; none where the profile has no samples.
pub(super) fn places(launch: &Launch, reason: &Reason) -> Vec<Place> {
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
        let line = launch.lines.iter().find(|line| line.offsets.contains(&address));
        Place {
            address,
            text: own.text(at).map(str::to_owned),
            file: line.map(|line| line.file.to_string()),
            line: line.map(|line| line.number),
            share: count / total,
            samples: count as u64,
        }
    };
    samples.into_iter().map(place).collect()
}
