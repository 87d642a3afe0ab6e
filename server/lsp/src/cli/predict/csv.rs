//! Predictions for programs: a contract.

use csv::Writer;
use ide::predict::LaunchPrediction;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, predictions: &[LaunchPrediction]) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    rows.write_record(["launch", "function", "cycles", "limiter", "assumed", "low", "high"])?;
    for prediction in predictions {
        rows.write_record([
            prediction.launch.as_deref().unwrap_or_default(),
            &prediction.function,
            &whole(prediction.cycles),
            &prediction.limiter.code(),
            &prediction.assumed.join(";"),
            &whole(prediction.low),
            &whole(prediction.high),
        ])?;
    }
    rows.flush()
}

/// Empty where there is no number.
fn whole(cycles: Option<f64>) -> String {
    cycles.map_or_else(String::new, |cycles| format!("{cycles:.0}"))
}
