//! Complete launches predicted with the counts of a profiler, compared with measurements on an H100.
//!
//! `cargo test --release -p tests --test corpus counted -- --nocapture` prints a row for each launch, if the complete
//! page of counts is available.

use crate::kernels::opened;
use ide::predict::{FULL_EFFORT, LaunchPrediction, ProfileFile};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Number of warp instructions that are simulated per launch.
const EFFORT: u64 = if cfg!(debug_assertions) { FULL_EFFORT / 50 } else { FULL_EFFORT };

/// Largest mean error of the cycles, as a fraction of the measured cycles.
const MEAN_ERROR: f64 = if cfg!(debug_assertions) { 0.10 } else { 0.06 };

fn predictions(folder: &Path, page: &str) -> Vec<LaunchPrediction> {
    let analysis = opened(folder, "kernels.sass", "launches.toml", "h100-sxm");
    let mut launches = analysis.stated_launches(None);
    let profile = ProfileFile::read(page.as_bytes()).expect("it is a source page");
    assert_eq!(launches.take_profile(&profile), Vec::<String>::new());
    let predict = |number| launches.predict(number, EFFORT).expect("nothing cancels it").expect("it fits");
    (0..launches.len()).map(predict).collect()
}

/// The page with samples and their stall reasons set to zero.
fn without_samples(page: &str) -> String {
    let mut titles: Vec<String> = Vec::new();
    let mut text =
        csv::WriterBuilder::new().flexible(true).quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    let rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(page.as_bytes())
        .into_records();
    for row in rows {
        let row = row.expect("it is csv");
        if row.get(0) == Some("Address") {
            titles = row.iter().map(str::to_owned).collect();
        }
        let is_sampled = |title: &str| title.contains("Sampl") || title.starts_with("stall_");
        let fields = row.iter().enumerate().map(|(at, field)| {
            let is_count = row.get(0).is_some_and(|first| first.starts_with("0x"));
            if is_count && titles.get(at).is_some_and(|title| is_sampled(title)) { "0" } else { field }
        });
        text.write_record(fields).expect("writing to memory does not fail");
    }
    String::from_utf8(text.into_inner().expect("it is in memory")).expect("it was a text")
}

#[test]
fn cycles_with_counts_are_near_those_measured_and_no_sample_is_used() {
    let Some(folder) = testkit::measured("kernels").into_iter().nth(1) else { return };
    let page = fs::read_to_string(folder.join("ncu-source.csv")).expect("the file exists");
    let measured = fs::read_to_string(folder.join("measured.csv")).expect("the file exists");
    let mut rows = csv::Reader::from_reader(measured.as_bytes());
    let rows = rows.deserialize::<BTreeMap<String, String>>().map(|row| row.expect("it is csv"));
    let measured: BTreeMap<String, f64> =
        rows.map(|row| (row["launch"].clone(), row["cycles"].parse().expect("a number"))).collect();
    let predictions = predictions(&folder, &page);
    let mut errors = Vec::new();
    for prediction in &predictions {
        let launch = prediction.launch.as_deref().expect("it has a name");
        let cycles = prediction.cycles.unwrap_or_else(|| panic!("{launch} has no number"));
        let error = cycles / measured[launch] - 1.0;
        println!("{launch:22} {cycles:9.0} {:9.0} {:+.1} %", measured[launch], 100.0 * error);
        errors.push(error.abs());
        let guessed = |word: &&String| word.starts_with("trips") || word.starts_with("addresses");
        assert_eq!(prediction.assumed.iter().find(guessed), None, "{launch}");
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    println!("mean of {}: {:.1} %", errors.len(), 100.0 * mean);
    assert_eq!(errors.len(), measured.len());
    assert!(mean <= MEAN_ERROR, "{mean}");
    let written =
        |predictions: &[LaunchPrediction]| serde_json::to_string(predictions).expect("it can be written");
    let zeroed = without_samples(&page);
    assert_ne!(zeroed, page);
    assert_eq!(written(&self::predictions(&folder, &zeroed)), written(&predictions));
}
