//! Launches of current code compared with measurements on an H200: cp.async, wgmma, TMA, mbarriers, clusters, Triton.
//!
//! `cargo test --release -p tests --test corpus modern -- --nocapture` prints a row for each launch. Cycles are those
//! of `warplens predict` in an optimised build; otherwise less of each launch is simulated.

use ide::predict::{FULL_EFFORT, LaunchPrediction};
use ide::{Cancel, Config, Host, LaunchFile};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of warp instructions that are simulated per launch.
const EFFORT: u64 = if cfg!(debug_assertions) { FULL_EFFORT / 10 } else { FULL_EFFORT };

/// A set of measured launches, and how good their predictions have to be: as `server/docs/accuracy.md` states, rounded.
struct MeasuredSet {
    folder: &'static str,
    /// Largest allowed mean error of the launches that have a number, as a fraction of the measured cycles. Without
    /// optimisation it applies to the smaller simulated part.
    mean_error: f64,
    /// Least number of launches that have a number.
    numbers: usize,
    /// Least share of the launches whose measured cycles lie in the predicted interval.
    inside: f64,
}

/// Returns the measured cycles of each launch, by name.
fn measured(folder: &Path) -> BTreeMap<String, f64> {
    let mut cycles = BTreeMap::new();
    for name in ["cuda.csv", "triton.csv"] {
        let text = fs::read_to_string(folder.join(name)).expect("the file exists");
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let at = columns.iter().position(|column| *column == "cycles").expect("a column");
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            cycles.insert(fields[0].to_owned(), fields[at].parse().expect("a number"));
        }
    }
    cycles
}

#[test]
fn cycles_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.12 } else { 0.065 };
    MeasuredSet { folder: "modern", mean_error, numbers: 50, inside: 0.88 }.compare();
}

#[test]
fn cycles_of_a_second_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.13 } else { 0.07 };
    MeasuredSet { folder: "held", mean_error, numbers: 51, inside: 0.88 }.compare();
}

#[test]
fn cycles_of_a_third_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.14 } else { 0.10 };
    MeasuredSet { folder: "later", mean_error, numbers: 26, inside: 0.85 }.compare();
}

#[test]
fn cycles_of_a_fourth_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.13 } else { 0.09 };
    MeasuredSet { folder: "fourth", mean_error, numbers: 37, inside: 0.88 }.compare();
}

#[test]
fn cycles_of_a_fifth_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.15 } else { 0.115 };
    MeasuredSet { folder: "fifth", mean_error, numbers: 33, inside: 0.85 }.compare();
}

#[test]
fn cycles_of_a_sixth_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.15 } else { 0.11 };
    MeasuredSet { folder: "sixth", mean_error, numbers: 24, inside: 0.79 }.compare();
}

#[test]
fn cycles_of_a_seventh_set_of_current_code_are_near_those_measured() {
    let mean_error = if cfg!(debug_assertions) { 0.12 } else { 0.08 };
    MeasuredSet { folder: "seventh", mean_error, numbers: 28, inside: 0.85 }.compare();
}

impl MeasuredSet {
    /// Predicts each launch of the set, prints a table, and checks the limits.
    fn compare(&self) {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("measured/h200").join(self.folder);
        let measured = measured(&folder);
        let launches = fs::read_to_string(folder.join("launches.toml")).expect("the file exists");
        let (mut errors, mut intervals, mut inside) = (Vec::new(), 0_u32, 0_u32);
        let mut table =
            String::from("launch                                     cycles   measured   error\n");
        for launch in launches.split("[[launch]]").skip(1) {
            let prediction = predicted(&folder, launch);
            let name = prediction.launch.as_deref().expect("it has a name");
            let cycles = measured[name];
            // A prediction with less effort has an interval only if it depends on memory.
            if let Some((low, high)) = prediction.low.zip(prediction.high) {
                intervals += 1;
                inside += u32::from(low <= cycles && cycles <= high);
            }
            let _ = match prediction.cycles {
                Some(predicted) => {
                    let error = predicted / cycles - 1.0;
                    errors.push(error.abs());
                    writeln!(table, "{name:40} {predicted:9.0} {cycles:9.0} {:+7.1} %", 100.0 * error)
                }
                None => {
                    writeln!(table, "{name:40} {:>9} {cycles:9.0}   {}", "-", prediction.cycles_in_words)
                }
            };
        }
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        println!(
            "{table}{} of {} launches have a number, {:.1} % off on average; {inside} of {intervals} intervals hold the measured cycles",
            errors.len(),
            measured.len(),
            100.0 * mean
        );
        assert!(errors.len() >= self.numbers, "{} launches have a number:\n{table}", errors.len());
        assert!(mean <= self.mean_error, "{mean} off on average:\n{table}");
        assert!(f64::from(inside) >= self.inside * f64::from(intervals), "{inside} of {intervals}:\n{table}");
    }
}

/// Predicts a launch of a set, given as the text below `[[launch]]`.
fn predicted(folder: &Path, launch: &str) -> LaunchPrediction {
    let text = format!("[[launch]]{launch}");
    let file = LaunchFile::parse("launches.toml", &text).expect("the launch can be read");
    let name = file.launches[0].name.clone().expect("it has a name");
    let of_triton = folder.join(format!("triton/{name}.sass"));
    let listing = if of_triton.exists() { of_triton } else { folder.join("cuda.sass") };
    let mut host = Host::default();
    let config = Config { gpu: "h200-sxm".to_owned(), ..Config::default() };
    host.configure(config).expect("the GPU is known");
    host.set_launches(Some(file)).expect("they name no GPU");
    host.open("listing", 1, &fs::read_to_string(listing).expect("the file exists"));
    let analysis = host.snapshot("listing", Cancel::default());
    let sass = analysis.and_then(|analysis| analysis.sass()).expect("it is open, and SASS");
    sass.stated_launches(None).predict(0, EFFORT).expect("nothing cancels it").expect("it fits")
}
