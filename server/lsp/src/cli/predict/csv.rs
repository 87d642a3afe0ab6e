//! Predictions for programs: a contract.

use crate::cli::output::csv_cell;
use ide::predict::LaunchPrediction;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, predictions: &[LaunchPrediction]) -> io::Result<()> {
    writeln!(out, "launch,function,cycles,limiter,assumed,low,high")?;
    for prediction in predictions {
        let launch = csv_cell(prediction.launch.as_deref().unwrap_or_default());
        let function = csv_cell(&prediction.function);
        let (limiter, assumed) = (prediction.limiter.code(), prediction.assumed.join(";"));
        writeln!(
            out,
            "{launch},{function},{},{},{},{},{}",
            whole(prediction.cycles),
            csv_cell(&limiter),
            csv_cell(&assumed),
            whole(prediction.low),
            whole(prediction.high)
        )?;
    }
    Ok(())
}

/// Empty where there is no number.
fn whole(cycles: Option<f64>) -> String {
    cycles.map_or_else(String::new, |cycles| format!("{cycles:.0}"))
}
