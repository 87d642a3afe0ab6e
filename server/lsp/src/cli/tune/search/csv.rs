//! Ranked tilings as CSV: a stable format that programs parse.

use super::super::printed_family::PrintedFamily;
use super::answer::Answer;
use csv::Writer;
use std::io::{self, Write};

/// Titles of the columns before and after the columns of the tiling. The table has one row per tiling.
const FIRST: [&str; 3] = ["rank", "microseconds", "by"];
const LAST: [&str; 9] =
    ["occupancy", "registers", "shared_bytes", "limit", "grid_x", "grid_y", "grid_z", "threads", "zero_c"];

pub(super) fn write<P: PrintedFamily>(out: &mut dyn Write, answer: &Answer<P>) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    let parameters = P::SPACE.parameters.iter().map(|(name, _)| *name);
    rows.write_record(FIRST.into_iter().chain(parameters).chain(LAST))?;
    for (rank, ranked) in (1..).zip(&answer.best) {
        let launch = answer.problem.launch(&ranked.tiling);
        let first = [rank.to_string(), format!("{:.3}", ranked.microseconds), answer.by().to_owned()];
        let [x, y, z] = launch.grid;
        let last = [
            format!("{:.4}", ranked.estimate.occupancy),
            ranked.estimate.registers.to_string(),
            launch.shared_bytes.to_string(),
            ranked.estimate.limit.name().to_owned(),
            x.to_string(),
            y.to_string(),
            z.to_string(),
            launch.threads.to_string(),
            launch.adds.to_string(),
        ];
        let values = P::point(&ranked.tiling).into_iter().map(|value| value.to_string());
        rows.write_record(first.into_iter().chain(values).chain(last))?;
    }
    rows.flush()
}
