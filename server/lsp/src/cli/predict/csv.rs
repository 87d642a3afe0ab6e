//! Predictions for programs: a contract.

use crate::printable::cell;
use csv::Writer;
use ide::predict::LaunchPrediction;
use std::io::{self, Write};

/// `has_profile`: one more column says what a profile has of each launch.
pub(super) fn write(
    out: &mut dyn Write,
    predictions: &[LaunchPrediction],
    has_profile: bool,
) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    let profile = has_profile.then_some("profile");
    let titles = ["launch", "function", "cycles", "limiter", "assumed", "low", "high"];
    rows.write_record(titles.into_iter().chain(profile))?;
    for prediction in predictions {
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
        rows.write_record(fields.into_iter().chain(has_profile.then_some(&*cell(&taken))))?;
    }
    rows.flush()
}

/// Empty where there is no number.
fn whole(cycles: Option<f64>) -> String {
    cycles.map_or_else(String::new, |cycles| format!("{cycles:.0}"))
}
