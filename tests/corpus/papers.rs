//! Kernels re-created from the texts of two papers, in `tests/measured/h100/papers`: checks that predictions rank their
//! variants like an H100, and that profiler counts follow from the code.
//!
//! `cargo test --release -p tests --test corpus papers -- --nocapture` prints a row for each launch.

use crate::kernels::opened;
use ide::SassView;
use ide::predict::FULL_EFFORT;
use ide::report::ReportSections;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Number of warp instructions that are simulated per launch.
const EFFORT: u64 = if cfg!(debug_assertions) { FULL_EFFORT / 8 } else { FULL_EFFORT };
/// Relative difference in cycles below which two launches are not ranked.
const ALIKE: f64 = 0.05;
/// Images per batch. Some launches process only one image.
const IMAGES: f64 = 1000.0;
/// Launches that process one image.
const FOR_ONE_IMAGE: [&str; 4] = ["unroll", "product", "product_constant", "fused_32_image"];
/// Launches in which the warps of an SM read more constants at a time than the constant cache holds. The
/// model does not cover this.
const MISS_CONSTANTS: [&str; 2] = ["product_constant_2", "tiled_constant_2"];

/// A launch as measured on an H100, and as predicted.
struct Row {
    launch: String,
    measured: f64,
    predicted: f64,
}

impl Row {
    /// The layer of a convolution, from the launch's name.
    fn layer(&self) -> Option<&str> {
        Some(self.launch.rsplit_once('_')?.1)
    }

    /// Scales the cycles to all images.
    fn of_batch(self) -> Self {
        let name = self.launch.rsplit_once('_').map_or("", |(name, _)| name);
        let times = if FOR_ONE_IMAGE.contains(&name) { IMAGES } else { 1.0 };
        Self { measured: times * self.measured, predicted: times * self.predicted, ..self }
    }
}

/// Columns of `measured.csv`, by header.
fn measured(columns: &[&str]) -> Vec<(String, Vec<f64>)> {
    let mut table = csv::Reader::from_path(folder().join("measured.csv")).expect("the file exists");
    let head = table.headers().expect("the table has a head").clone();
    let at: Vec<usize> = columns
        .iter()
        .map(|wanted| head.iter().position(|name| name == *wanted).expect("the column exists"))
        .collect();
    let rows = table.records().map(|row| row.expect("a row can be read"));
    rows.map(|row| (row[0].to_owned(), at.iter().map(|&at| row[at].parse().expect("a number")).collect()))
        .collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("measured/h100/papers")
}

fn analysis(name: &str) -> SassView {
    opened(&folder(), &format!("{name}.sass"), &format!("{name}.toml"), "h100-sxm")
}

fn rows(name: &str) -> Vec<Row> {
    let analysis = analysis(name);
    let launches = analysis.stated_launches(None);
    let measured = measured(&["cycles"]);
    let row = |number: usize| {
        let prediction = launches.predict(number, EFFORT).expect("nothing cancels it").expect("it fits");
        let launch = prediction.launch.expect("it has a name");
        let measured = measured.iter().find(|(name, _)| *name == launch).expect("it was measured").1[0];
        Row { launch, measured, predicted: prediction.cycles.expect("it is timed") }
    };
    (0..launches.len()).map(row).collect()
}

/// Number of pairs that an H100 ranks, and the pairs that are predicted in the opposite order.
fn ranked(rows: &[Row], are_compared: impl Fn(&Row, &Row) -> bool) -> (usize, Vec<[&Row; 2]>) {
    let (mut pairs, mut wrong) = (0, Vec::new());
    for (at, one) in rows.iter().enumerate() {
        for other in &rows[at + 1..] {
            let differs = (one.measured / other.measured).ln().abs() > (1.0 + ALIKE).ln();
            if differs && are_compared(one, other) {
                pairs += 1;
                if (one.measured < other.measured) != (one.predicted < other.predicted) {
                    wrong.push([one, other]);
                }
            }
        }
    }
    (pairs, wrong)
}

fn table(rows: &[Row], pairs: usize, wrong: &[[&Row; 2]]) -> String {
    let mut table = String::new();
    for Row { launch, measured, predicted } in rows {
        let error = 100.0 * (predicted / measured - 1.0);
        let _ = writeln!(table, "{launch:20} {measured:12.0} {predicted:12.0} {error:+6.1} %");
    }
    let _ = writeln!(table, "{} of {pairs} pairs rank as measured", pairs - wrong.len());
    for [one, other] in wrong {
        let _ = writeln!(table, "not {} and {}", one.launch, other.launch);
    }
    table
}

#[test]
fn sgemm_ranks_as_an_h100_does() {
    let rows = rows("sgemm");
    let (pairs, wrong) = ranked(&rows, |_, _| true);
    let table = table(&rows, pairs, &wrong);
    println!("{table}");
    assert!(pairs >= 190, "{table}");
    assert!(wrong.len() * 50 <= pairs, "{table}");
    // The paper states: more values per thread are faster, in a block of any shape, down to a quarter of the
    // warps.
    for shape in ["8x8", "16x8", "16x16", "32x16", "32x32"] {
        let of_shape: Vec<&Row> =
            rows.iter().filter(|row| row.launch.starts_with(&format!("shared_{shape}_"))).collect();
        assert!(of_shape.len() >= 3, "{table}");
        assert!(of_shape.windows(2).all(|pair| pair[1].predicted < pair[0].predicted), "{shape}:\n{table}");
    }
}

#[test]
fn convolutions_rank_as_an_h100_does() {
    let rows: Vec<Row> = rows("convolution").into_iter().map(Row::of_batch).collect();
    let (pairs, wrong) = ranked(&rows, |one, other| {
        one.layer() == other.layer() && [one, other].iter().all(|row| !MISS_CONSTANTS.contains(&&*row.launch))
    });
    let table = table(&rows, pairs, &wrong);
    println!("{table}");
    assert!(pairs >= 80, "{table}");
    assert!(wrong.len() * 50 <= pairs, "{table}");
    // The report states: tiles of 16 fit 12 maps better, tiles of 24 fit 24 maps.
    let predicted = |launch: &str| rows.iter().find(|row| row.launch == launch).expect("it exists").predicted;
    assert!(predicted("fused_16_1") < predicted("fused_24_1"), "{table}");
    assert!(predicted("fused_24_2") < predicted("fused_16_2"), "{table}");
    // A grid over all images takes less time than one grid per image.
    for layer in [1, 2] {
        let of_batch = predicted(&format!("fused_24_{layer}"));
        assert!(of_batch < predicted(&format!("fused_32_image_{layer}")), "{table}");
    }
}

#[test]
fn metrics_are_those_that_ncu_counted() {
    let counted = measured(&[
        "instructions",
        "global_loads",
        "shared_loads",
        "shared_efficiency_pct",
        "threads_per_instruction",
        "registers",
    ]);
    let wanted = ReportSections { instructions: true, predictions: true, lines: false };
    let mut compared = 0;
    for name in ["sgemm", "convolution"] {
        let analysis = analysis(name);
        let reports = analysis.kernel_reports(None, wanted);
        for number in 0..reports.len() {
            let report = reports.report(number).expect("nothing cancels it");
            let Some(launch) = &report.launch else { continue };
            let metrics = report.metrics.expect("the launch is stated");
            let found = [
                metrics.instructions,
                metrics.global_loads,
                metrics.shared_loads,
                metrics.shared_efficiency.map(|share| 100.0 * share).or(Some(0.0)),
                metrics.warp_execution_efficiency.map(|share| 32.0 * share),
                Some(f64::from(report.resources.registers)),
            ];
            let (_, counted) = counted.iter().find(|(name, _)| name == launch).expect("it was measured");
            for (found, counted) in found.into_iter().zip(counted) {
                let found = found.unwrap_or_else(|| panic!("{launch} lacks a metric"));
                // Only a sample of the warps is simulated. In this sample, warps at the edges of a grid have
                // a slightly different weight.
                assert!((found - counted).abs() <= 0.06 * counted, "{launch}: {found}, counted {counted}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 6 * 43);
}
