//! Complete launches compared with measurements on an H100: executions, accesses, cycles and stalls of each
//! kernel in `tests/measured/h100/kernels`.
//!
//! `cargo test --release -p tests --test corpus kernels -- --nocapture` prints a row for each launch. In an
//! optimised build, cycles equal those of `warplens predict`; otherwise a smaller part of each launch is
//! simulated.

use crate::ncu::{Measured, Row};
use ide::predict::FULL_EFFORT;
use ide::report::{InstructionReport, KernelReport, ReportSections};
use ide::{Cancel, Config, Host, LaunchFile, SassView};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of warp instructions that are simulated per launch.
const EFFORT: u64 = if cfg!(debug_assertions) { FULL_EFFORT / 50 } else { FULL_EFFORT };

/// Largest allowed errors of the predicted cycles, as fractions of the measured cycles. They are stated in
/// `server/docs/accuracy.md`, rounded up. Without optimisation they apply to the smaller simulated part.
const MEAN_ERROR: f64 = if cfg!(debug_assertions) { 0.093 } else { 0.053 };
const WORST_ERROR: f64 = if cfg!(debug_assertions) { 0.40 } else { 0.16 };
/// The same limits for an H200, without the kernels whose cycles are not a single number; and the limit for
/// launches that DRAM or L2 limits.
const H200_MEAN_ERROR: f64 = if cfg!(debug_assertions) { 0.092 } else { 0.057 };
const H200_WORST_MEMORY_ERROR: f64 = if cfg!(debug_assertions) { 0.08 } else { 0.10 };
/// Least share of the launches whose measured cycles lie in the predicted interval.
const INSIDE: f64 = 0.88;
/// Number of launches whose dominant stall reason must equal ncu's.
const DOMINANT: usize = 20;
/// `KNOWN` is the least fraction of executed accesses that must be known, as a mean over the launches;
/// `RIGHT` is the least fraction of known accesses that must be right.
const KNOWN: f64 = 0.966;
const RIGHT: f64 = 0.999;
/// Number of launches whose warps are run to their end, and the largest mean error of their executions.
const COUNTED: usize = 20;
const EXCESS: f64 = 0.02;

/// Launch whose accesses mostly depend on loaded indices.
const GATHER: &str = "spmv_csr";
/// Launch whose shared-memory atomics mostly depend on loaded indices.
const SCATTER: &str = "histogram";

#[test]
fn accesses_and_executions_are_those_that_ncu_counted() {
    let folder = folder();
    let analysis = analysis(&folder);
    let report = analysis.report().expect("nothing cancels it");
    let mut rows = Vec::new();
    let mut table =
        String::from("launch                  executed     ncu's    excess differ  accesses known right\n");
    for measured in crate::ncu::read(&folder) {
        let kernel = of_launch(&report.kernels, &measured);
        let row = Compared::of(kernel, &measured);
        let _ = writeln!(
            table,
            "{:22} {:>9} {:9.2} {:>8} {:6} {:9} {:5} {:5}",
            measured.launch,
            row.ours.map_or_else(|| "-".to_owned(), |ours| format!("{ours:.2}")),
            row.executed,
            row.excess().map_or_else(|| "-".to_owned(), |excess| format!("{:+.2} %", 100.0 * excess)),
            row.differ,
            row.accesses,
            row.known,
            row.known - row.wrong.len()
        );
        for wrong in &row.wrong {
            let _ = writeln!(table, "    {wrong}");
        }
        rows.push((measured.launch, row));
    }
    let with_accesses = || rows.iter().map(|(_, row)| row).filter(|row| row.accesses > 0);
    let known = mean(with_accesses().map(|row| row.known as f64 / row.accesses as f64));
    let right = mean(
        with_accesses()
            .filter(|row| row.known > 0)
            .map(|row| 1.0 - row.wrong.len() as f64 / row.known as f64),
    );
    println!("{table}known {:.1} %, of those right {:.1} %", 100.0 * known, 100.0 * right);
    assert!(known >= KNOWN, "{known} of the accesses are known:\n{table}");
    assert!(right >= RIGHT, "{right} of the known accesses are right:\n{table}");
    let excesses = rows.iter().filter_map(|(_, row)| row.excess()).map(f64::abs);
    let (excess, counted) = (mean(excesses.clone()), excesses.count());
    println!("executions of {counted} launches are {:.2} % off", 100.0 * excess);
    assert!(counted >= COUNTED, "{counted} launches are run to their end:\n{table}");
    assert!(excess <= EXCESS, "executions are {excess} off:\n{table}");
    let (_, gather) = rows.iter().find(|(launch, _)| launch == GATHER).expect("it is measured");
    assert!(2 * gather.known < gather.accesses, "{GATHER} has addresses that depend on data:\n{table}");
    assert!(gather.wrong.is_empty(), "{GATHER} claims addresses that data decides:\n{table}");
}

#[test]
fn atomics_at_loaded_indices_are_not_known() {
    let folder = folder();
    let analysis = analysis(&folder);
    let function = analysis.kernel_names().map(|(name, _)| name).find(|name| name.contains(SCATTER));
    let wanted = ReportSections { instructions: true, predictions: true, lines: false };
    let kernel = analysis.kernel_reports(function, wanted).report(0);
    let instructions = kernel.expect("nothing cancels it").instructions;
    let atomics: Vec<_> = instructions.iter().filter(|inst| inst.opcode.starts_with("ATOMS")).collect();
    assert!(!atomics.is_empty(), "the kernel counts in shared memory");
    for atomic in atomics {
        let memory = atomic.memory.as_ref().expect("it accesses memory");
        assert_eq!(memory.known, Some(false), "{:#x} {}: {memory:?}", atomic.address, atomic.text);
    }
}

#[test]
fn cycles_and_stalls_are_near_those_measured() {
    let folder = folder();
    let analysis = analysis(&folder);
    let launches = analysis.stated_launches(None);
    let (mut errors, mut agreed) = (Vec::new(), 0);
    let (mut intervals, mut inside) = (0_u32, 0_u32);
    let mut table = String::from("launch                 cycles     measured   error    stalls, and ncu's\n");
    for (number, measured) in crate::ncu::read(&folder).iter().enumerate() {
        let prediction = launches.predict(number, EFFORT).expect("nothing cancels it").expect("it fits");
        assert_eq!(prediction.launch.as_deref(), Some(&*measured.launch), "launches are in order");
        let depends_on_data = measured.launch == GATHER;
        assert_eq!(prediction.cycles.is_none(), depends_on_data, "{}", prediction.cycles_in_words);
        // A prediction with less effort has an interval only if it depends on memory.
        if let Some((low, high)) = prediction.low.zip(prediction.high) {
            let _ = writeln!(
                table,
                "{:22} {low:.0} to {high:.0}, measured {:.0}",
                measured.launch, measured.cycles
            );
            intervals += 1;
            inside += u32::from(low <= measured.cycles && measured.cycles <= high);
        }
        let Some(cycles) = prediction.cycles else { continue };
        let error = cycles / measured.cycles - 1.0;
        errors.push(error.abs());
        let theirs = measured.stalls();
        let (our_reason, their_reason) = (prediction.stalls.first().map(|stall| stall.0), &theirs[0].0);
        let agrees = our_reason == Some(their_reason);
        agreed += usize::from(agrees);
        let _ = writeln!(
            table,
            "{:22} {:10.0} {:10.0} {:+6.1} %  {} {}; {}",
            measured.launch,
            cycles,
            measured.cycles,
            100.0 * error,
            if agrees { "=" } else { "*" },
            largest(&prediction.stalls),
            largest(&theirs),
        );
    }
    let (average, worst) = (mean(errors.iter().copied()), errors.iter().copied().fold(0.0, f64::max));
    println!(
        "{table}mean error {:.1} %, worst {:.1} %; {agreed} of {} dominant reasons agree",
        100.0 * average,
        100.0 * worst,
        errors.len()
    );
    assert!(average <= MEAN_ERROR, "mean error {average}:\n{table}");
    assert!(worst <= WORST_ERROR, "worst error {worst}:\n{table}");
    assert!(agreed >= DOMINANT, "{agreed} dominant reasons agree:\n{table}");
    println!("{inside} of {intervals} intervals hold the measured cycles");
    assert!(
        f64::from(inside) >= INSIDE * f64::from(intervals),
        "{inside} of {intervals} intervals:\n{table}"
    );
}

/// The same binaries on a GPU with different figures for L2, DRAM and launches.
#[test]
fn cycles_of_an_h200_are_near_those_measured() {
    let folder = folder();
    let analysis = analysis_for(&folder, "h200");
    let launches = analysis.stated_launches(None);
    let measured =
        include_str!("../measured/h200-kernels.csv").lines().filter(|line| !line.starts_with('#')).skip(1);
    let (mut errors, mut worst) = (Vec::new(), 0.0_f64);
    let mut table = String::new();
    for (number, row) in measured.enumerate() {
        let (launch, cycles) = row.split_once(',').expect("launch,cycles");
        let cycles: f64 = cycles.parse().expect("it is a number");
        let prediction = launches.predict(number, EFFORT).expect("nothing cancels it").expect("it fits");
        assert_eq!(prediction.launch.as_deref(), Some(launch), "launches are in order");
        let Some(predicted) = prediction.cycles else {
            assert_eq!(launch, GATHER);
            continue;
        };
        let error = predicted / cycles - 1.0;
        let limiter = prediction.limiter.code();
        let _ =
            writeln!(table, "{launch:22} {predicted:10.0} {cycles:10.0} {:+6.1} % {limiter}", 100.0 * error);
        errors.push(error.abs());
        if matches!(&*limiter, "DRAM" | "L2") {
            worst = worst.max(error.abs());
        }
    }
    let average = mean(errors.iter().copied());
    println!(
        "{table}mean error on an H200 {:.1} %, worst of DRAM and L2 {:.1} %",
        100.0 * average,
        100.0 * worst
    );
    assert_eq!(errors.len(), 27);
    assert!(average <= H200_MEAN_ERROR, "mean error {average}:\n{table}");
    assert!(worst <= H200_WORST_MEMORY_ERROR, "worst error {worst}:\n{table}");
}

/// A launch's instructions compared with those that ncu counted.
struct Compared {
    /// Mean number of instructions per warp; `None` if the launch's warps are too long to be executed to
    /// their end.
    ours: Option<f64>,
    executed: f64,
    /// Number of instructions whose executions differ by more than two percent.
    differ: usize,
    /// Number of executed loads and stores of shared and global memory.
    accesses: usize,
    known: usize,
    /// Known accesses whose cost differs from the measured cost, as descriptions.
    wrong: Vec<String>,
}

impl Compared {
    fn of(kernel: &KernelReport, measured: &Measured) -> Self {
        assert_eq!(kernel.instructions.len(), measured.rows.len(), "{}", measured.launch);
        let warps = warps(kernel);
        let mut all =
            Self { ours: Some(0.0), executed: 0.0, differ: 0, accesses: 0, known: 0, wrong: Vec::new() };
        for (ours, row) in kernel.instructions.iter().zip(&measured.rows) {
            let count = row.executed / warps;
            all.executed += count;
            all.ours = all.ours.zip(ours.executed).map(|(sum, count)| sum + count);
            let differs = |ours: f64| (ours - count).abs() > 0.02 * ours.max(count) + 0.01;
            all.differ += usize::from(ours.executed.is_some_and(differs));
            if matches!(row.mnemonic(), "LDS" | "STS" | "LDG" | "STG") && row.executed > 0.0 {
                all.accesses += 1;
                all.compare(ours, row);
            }
        }
        all
    }

    /// Returns the relative excess of executions per warp over the measurement; `None` if `ours` is `None`.
    fn excess(&self) -> Option<f64> {
        Some(self.ours? / self.executed - 1.0)
    }

    fn compare(&mut self, ours: &InstructionReport, row: &Row) {
        let memory = ours.memory.as_ref().expect("the model treats it as an access, too");
        if memory.known != Some(true) {
            return;
        }
        self.known += 1;
        let is_shared = matches!(row.mnemonic(), "LDS" | "STS");
        // ncu rounds the wavefronts per request.
        let (taken, expected, off) = if is_shared {
            (memory.wavefronts, row.wavefronts, 0.5)
        } else {
            let sectors = row.sectors / row.executed;
            (memory.sectors, sectors, 0.05 * sectors)
        };
        if !taken.is_some_and(|taken| (taken - expected).abs() <= off + 1e-9) {
            self.wrong.push(format!("{:#x} {}: {taken:?}, measured {expected:.2}", ours.address, ours.text));
        }
    }
}

/// Returns the number of warps of the entire launch.
fn warps(kernel: &KernelReport) -> f64 {
    const WARP: u32 = 32;
    let product = |sizes: [u32; 3]| sizes.into_iter().product::<u32>();
    f64::from(product(kernel.resources.grid)) * f64::from(product(kernel.resources.block).div_ceil(WARP))
}

/// The measured kernels in this repository.
fn folder() -> PathBuf {
    testkit::measured("kernels").swap_remove(0)
}

fn analysis(folder: &Path) -> SassView {
    analysis_for(folder, "h100-sxm")
}

fn analysis_for(folder: &Path, gpu: &str) -> SassView {
    opened(folder, "kernels.sass", "launches.toml", gpu)
}

/// Opens a listing of a folder together with the launches of the folder.
pub(super) fn opened(folder: &Path, listing: &str, launches: &str, gpu: &str) -> SassView {
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("the file exists");
    let mut host = Host::default();
    let config = Config { gpu: gpu.to_owned(), ..Config::default() };
    host.configure(config).expect("the GPU is known");
    let launches = LaunchFile::parse(launches, &read(launches)).expect("the launches can be read");
    host.set_launches(Some(launches)).expect("they name no GPU");
    host.open(listing, 1, &read(listing));
    let analysis = host.snapshot(listing, Cancel::default());
    analysis.and_then(|analysis| analysis.sass()).expect("it is open, and SASS")
}

fn of_launch<'a>(kernels: &'a [KernelReport], measured: &Measured) -> &'a KernelReport {
    let mut found = kernels.iter().filter(|kernel| kernel.launch.as_ref() == Some(&measured.launch));
    found.next().unwrap_or_else(|| panic!("no report of `{}`", measured.launch))
}

/// The three largest fractions, as text.
fn largest<S: AsRef<str>>(shares: &[(S, f64)]) -> String {
    let words = shares.iter().take(3).map(|(reason, share)| format!("{} {share:.2}", reason.as_ref()));
    words.collect::<Vec<_>>().join(", ")
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}
