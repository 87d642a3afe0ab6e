//! Predictions as JSON, schema 1: a stable format that programs parse.

use crate::cli::output::distinct;
use ide::predict::LaunchPrediction;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    /// Several names, separated by commas, if the launches are for several GPUs.
    gpu: String,
    launches: Vec<Record<'a>>,
}

/// A launch and the file that has its code.
#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    #[serde(flatten)]
    prediction: &'a LaunchPrediction,
}

pub(super) fn write<'a>(
    out: &mut dyn Write,
    predictions: impl Iterator<Item = (&'a str, &'a LaunchPrediction)>,
) -> io::Result<()> {
    let launches: Vec<Record<'_>> =
        predictions.map(|(file, prediction)| Record { file, prediction }).collect();
    let gpus = distinct(launches.iter().map(|launch| &*launch.prediction.gpu));
    let report = Report { schema: 1, gpu: gpus.join(", "), launches };
    serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
    writeln!(out)
}
