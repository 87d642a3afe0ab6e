//! Reader for nvprof's output of metrics, events and GPU traces, as CSV or as plain tables.
//!
//! nvprof does not support GPUs from sm_75 on, but its logs are still in use. The formats were derived from public
//! logs: CSV metrics from a Tesla K20c (benchmarks of the Forma compiler), plain tables from a GeForce GTX 1070 and a
//! Tesla V100 (solutions to textbook exercises), and CSV traces from a GeForce RTX 2080 Ti (tests of a profiler for
//! reinforcement learning).

mod figures;
mod plain;
mod tables;
#[cfg(test)]
mod tests;

use crate::launch::Profile;
use crate::limits::ReadLimits;
use crate::lines::{cut, whole_lines};

/// True if a line is the title row of a table.
pub(super) fn is_head(line: &str) -> bool {
    tables::is_head(line) || plain::is_head(line)
}

/// Reads all tables of a log.
pub(super) fn read(text: &str) -> Profile {
    let whole = whole_lines(text);
    let mut room = ReadLimits::default();
    let mut launches = tables::read(whole, &mut room);
    launches.extend(plain::read(whole));
    Profile { launches, cut: room.over.or_else(|| cut("log", text)) }
}
