//! Ranked tilings for programs: a contract.

use super::Answer;
use csv::Writer;
use std::io::{self, Write};

/// Columns before and behind the tiling's, a row for each tiling.
const FIRST: [&str; 3] = ["rank", "microseconds", "by"];
const LAST: [&str; 9] =
    ["occupancy", "registers", "shared_bytes", "limit", "grid_x", "grid_y", "grid_z", "threads", "zero_c"];

pub(super) fn write(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    let by = if answer.network.is_some() { "network" } else { "static" };
    for (rank, ranked) in (1..).zip(&answer.ranking.best) {
        let values = ranked.tiling.values();
        if rank == 1 {
            rows.write_record(FIRST.into_iter().chain(values.map(|(name, _)| name)).chain(LAST))?;
        }
        let launch = ranked.tiling.launch(&answer.gemm);
        let first = [rank.to_string(), format!("{:.3}", ranked.microseconds), by.to_owned()];
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
        rows.write_record(first.into_iter().chain(values.map(|(_, value)| value.to_string())).chain(last))?;
    }
    rows.flush()
}
