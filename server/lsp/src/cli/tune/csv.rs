//! Tunings as CSV: a stable format that programs parse.

use crate::printable::cell;
use csv::Writer;
use ide::TuningOutcome;
use std::io::{self, Write};
use std::sync::Arc;

/// Titles of the columns. The table has a row for each variant of each shape.
const TITLES: [&str; 16] = [
    "kernel",
    "shape",
    "variant",
    "now",
    "cycles",
    "microseconds",
    "times_as_fast",
    "registers",
    "shared",
    "occupancy",
    "waves",
    "limiter",
    "why",
    "problem",
    "estimated_microseconds",
    "estimated_by",
];

pub(super) fn write(out: &mut dyn Write, outcomes: &[Arc<TuningOutcome>]) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    rows.write_record(TITLES)?;
    let digits = |value: Option<f64>, digits: usize| {
        value.map_or_else(String::new, |value| format!("{value:.digits$}"))
    };
    let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
    for outcome in outcomes {
        for row in &outcome.rows {
            rows.write_record([
                &*cell(&outcome.kernel),
                &cell(&outcome.shape),
                &cell(&row.variant),
                &row.is_now.to_string(),
                &digits(row.cycles, 0),
                &digits(row.microseconds, 3),
                &digits(row.times_as_fast, 3),
                &whole(row.registers),
                &whole(row.shared),
                &digits(row.occupancy, 3),
                &digits(row.waves, 3),
                &cell(row.limiter.as_deref().unwrap_or_default()),
                &cell(&row.why),
                &cell(row.problem.as_deref().unwrap_or_default()),
                &digits(row.estimated_microseconds, 3),
                outcome.estimated_by,
            ])?;
        }
    }
    rows.flush()
}
