//! Predictions as CSV: a stable format that programs parse.

use crate::printable::cell;
use csv::Writer;
use ide::predict::LaunchPrediction;
use std::io::{self, Write};

/// Optional columns, after the columns that every table has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// Include the figures from a profile.
    pub(super) profile: bool,
    /// Include the name of the file with the code.
    pub(super) file: bool,
}

pub(super) fn write<'a>(
    out: &mut dyn Write,
    predictions: impl Iterator<Item = (&'a str, &'a LaunchPrediction)>,
    columns: Columns,
) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    let others = columns.profile.then_some("profile").into_iter().chain(columns.file.then_some("file"));
    let titles = ["launch", "function", "cycles", "limiter", "assumed", "low", "high"];
    rows.write_record(titles.into_iter().chain(others))?;
    for (file, prediction) in predictions {
        let taken = prediction.profile.as_ref().map_or_else(String::new, |profile| profile.taken.join(";"));
        let assumed = prediction.assumed.join(";");
        let fields = [
            &*cell(prediction.launch.as_deref().unwrap_or_default()),
            &cell(&prediction.function),
            &whole(prediction.cycles),
            &prediction.limiter.code(),
            &cell(&assumed),
            &whole(prediction.low),
            &whole(prediction.high),
        ];
        let (taken, file) = (cell(&taken), cell(file));
        let others = columns.profile.then_some(&*taken).into_iter().chain(columns.file.then_some(&*file));
        rows.write_record(fields.into_iter().chain(others))?;
    }
    rows.flush()
}

/// The cycles as a whole number; empty for `None`.
fn whole(cycles: Option<f64>) -> String {
    cycles.map_or_else(String::new, |cycles| format!("{cycles:.0}"))
}
