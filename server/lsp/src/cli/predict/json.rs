//! Predictions as JSON: a contract, schema 1.

use crate::cli::output::distinct;
use ide::predict::LaunchPrediction;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    /// Several, separated by commas, where launches are of code for several.
    gpu: String,
    launches: &'a [LaunchPrediction],
}

pub(super) fn write(out: &mut dyn Write, predictions: &[LaunchPrediction]) -> io::Result<()> {
    let gpus = distinct(predictions.iter().map(|prediction| &*prediction.gpu));
    let report = Report { schema: 1, gpu: gpus.join(", "), launches: predictions };
    serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
    writeln!(out)
}
