//! Compares the issue simulation with the measured cycles of 300 programs on an H100, if the programs are available. Some
//! programs are straight-line code, and the others are loops.
//!
//! `cargo test --release -p model --test blocks -- --nocapture` prints errors by class and the speed. In a debug build,
//! loops are simulated with one warp only.

#![expect(clippy::disallowed_methods, reason = "a test reads the measured programs and a clock")]

use machine::Machine;
use model::Program;
use model::address::{Addresses, WarpThreads};
use model::pipeline::views::Region;
use model::pipeline::{Code, InstructionPath, clock_reads, simulate};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use syntax::sass::{Chunk, Listing};

/// Minimum measured cycles of a loop. Faster loops are skipped, because ptxas has removed their bodies.
const MIN_LOOP: u64 = 100;
const MAX_ISSUES: u64 = 50_000_000;

/// Measured cycles of a program for one number of warps. Each warp reads the clock twice.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// Cycles between the two clock reads of the first warp, minimum over several launches.
    first_min: u64,
    /// Cycles from the earliest first read of any warp to the latest second read, minimum over the launches.
    span_min: u64,
    /// The same cycles as `span_min`, median over the launches.
    span_median: u64,
}

type Measurements = BTreeMap<String, BTreeMap<u32, Measured>>;

/// A prediction and the measured value.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    predicted: u64,
    measured: u64,
    /// Relative difference between the median and the minimum of the measured cycles.
    spread: f64,
}

impl Outcome {
    fn error(self) -> f64 {
        (self.predicted as f64 / self.measured as f64 - 1.0).abs()
    }

    fn is_near(self) -> bool {
        self.predicted.abs_diff(self.measured) <= 2
    }
}

/// Outcomes by class and number of warps.
#[derive(Debug, Default)]
struct Evaluation {
    outcomes: BTreeMap<(String, u32), Vec<Outcome>>,
    issues: u64,
    /// Time of the simulation alone.
    time: Duration,
}

impl Evaluation {
    fn of(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<Outcome> {
        let wanted = self.outcomes.iter().filter(|((_, warps), _)| is_wanted(*warps));
        wanted.flat_map(|(_, outcomes)| outcomes).copied().collect()
    }

    fn print(&self, title: &str, all: Duration) {
        println!("\n{title}\nclass    warps    n  mean error  within 2  spread");
        for ((class, warps), outcomes) in &self.outcomes {
            print_row(class, &warps.to_string(), outcomes);
        }
        let classes: BTreeSet<&String> = self.outcomes.keys().map(|(class, _)| class).collect();
        for class in classes {
            let own = self.outcomes.iter().filter(|((other, _), _)| other == class);
            let own: Vec<Outcome> = own.flat_map(|(_, outcomes)| outcomes).copied().collect();
            print_row(class, "all", &own);
        }
        print_row("total", "all", &self.of(|_| true));
        let speed = self.issues as f64 / self.time.as_secs_f64() / 1e6;
        println!(
            "{} warp instructions in {:.2} s: {speed:.1} million a second; with reading and decoding {:.2} s",
            self.issues,
            self.time.as_secs_f64(),
            all.as_secs_f64()
        );
    }
}

fn print_row(class: &str, warps: &str, outcomes: &[Outcome]) {
    let near = outcomes.iter().filter(|outcome| outcome.is_near()).count();
    let spread = mean(outcomes.iter().map(|outcome| outcome.spread));
    println!(
        "{class:8} {warps:>5} {:4}  {:8.2} %  {near:8}  {:4.2} %",
        outcomes.len(),
        100.0 * mean_error(outcomes),
        100.0 * spread
    );
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

fn mean_error(outcomes: &[Outcome]) -> f64 {
    mean(outcomes.iter().map(|outcome| outcome.error()))
}

fn near_share(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().filter(|outcome| outcome.is_near()).count() as f64 / outcomes.len().max(1) as f64
}

/// Parses `name,warps,first_min,first_med,span_min,span_med`.
fn measurements(text: &str) -> Measurements {
    let mut all = Measurements::new();
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'n']));
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let [name, warps, first_min, _, span_min, span_median] = cells[..] else {
            panic!("six cells in {row}")
        };
        let number = |cell: &str| cell.parse().expect("the cell is a number");
        let measured = Measured {
            first_min: number(first_min),
            span_min: number(span_min),
            span_median: number(span_median),
        };
        all.entry(name.to_owned()).or_default().insert(warps.parse().expect("a number"), measured);
    }
    all
}

/// Runs all measured programs of a kind (`straight`, `loops`) with these numbers of warps, if `is_wanted` accepts the
/// minimum time of one warp.
fn evaluate(folder: &Path, kind: &str, warps: &[u32], is_wanted: impl Fn(u64) -> bool) -> Evaluation {
    let begin = Instant::now();
    let read =
        |ending: &str| fs::read_to_string(folder.join(format!("{kind}.{ending}"))).expect("the file exists");
    let measured = measurements(&read("csv"));
    let text = read("sass");
    let listing = Listing::parse(&text);
    let mut evaluation = Evaluation::default();
    let mut seen = BTreeSet::new();
    for chunk in listing.chunks() {
        let Some(name) = chunk.name().filter(|_| !chunk.instructions().is_empty()) else { continue };
        seen.insert(name.to_owned());
        if is_wanted(measured[name][&1].first_min) {
            run(chunk, name, warps, &measured[name], &mut evaluation);
        }
    }
    assert_eq!(seen, measured.keys().cloned().collect(), "every program was found");
    evaluation.print(&format!("{kind}, warps {warps:?}"), begin.elapsed());
    evaluation
}

fn run(
    chunk: &Chunk,
    name: &str,
    warps: &[u32],
    measured: &BTreeMap<u32, Measured>,
    evaluation: &mut Evaluation,
) {
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
    let addresses = Addresses::compute(chunk, &program);
    // The measured blocks have one row of threads.
    let lanes = WarpThreads::first([1024, 1, 1]);
    let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
    let code = Code::new(chunk, &program, requests).expect("sm_90 is calibrated");
    let reads = clock_reads(chunk);
    let [first, last] = reads[..] else { panic!("{name} reads the clock {} times", reads.len()) };
    let way = InstructionPath::between(&program, |branch| addresses.trips(branch as usize), first, last);
    let way = way.unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let class = name.rsplit('_').next().unwrap_or(name);
    for &warps in warps {
        let mut region = Region::new(first, last, way.path.rounds, warps);
        let begin = Instant::now();
        let issues = simulate(&code, &way.path, warps, MAX_ISSUES, &mut region);
        evaluation.time += begin.elapsed();
        evaluation.issues += issues.unwrap_or_else(|stop| panic!("{name}, {warps} warps: {stop:?}"));
        let Measured { first_min, span_min, span_median } = measured[&warps];
        let outcome = Outcome {
            predicted: region.cycles().expect("the region was passed"),
            measured: if warps == 1 { first_min } else { span_min },
            spread: span_median as f64 / span_min as f64 - 1.0,
        };
        evaluation.outcomes.entry((class.to_owned(), warps)).or_default().push(outcome);
    }
}

/// Maximum mean error of straight-line programs: the error in `server/docs/accuracy.md`, rounded up.
const STRAIGHT: f64 = 0.0025;
/// Maximum mean error of loops that run with one warp: the error in `server/docs/accuracy.md`, rounded up.
const ONE_WARP: f64 = 0.004;
/// Maximum mean error of loops that run with 1 to 32 warps: the error in `server/docs/accuracy.md`, rounded up.
const LOOPS: f64 = 0.034;

#[test]
fn measured_programs_take_the_cycles_that_were_measured() {
    for folder in testkit::measured("blocks") {
        let straight = evaluate(&folder, "straight", &[1], |_| true).of(|_| true);
        assert!(straight.len() >= 47);
        assert!(mean_error(&straight) <= STRAIGHT, "straight: {}", mean_error(&straight));
        assert!(near_share(&straight) >= 0.95, "straight within 2 cycles: {}", near_share(&straight));
        let warps: &[u32] = if cfg!(debug_assertions) { &[1] } else { &[1, 2, 4, 8, 16, 32] };
        let loops = evaluate(&folder, "loops", warps, |cycles| cycles >= MIN_LOOP);
        let alone = loops.of(|warps| warps == 1);
        assert!(alone.len() >= 20);
        assert!(mean_error(&alone) <= ONE_WARP, "loops, 1 warp: {}", mean_error(&alone));
        let all = loops.of(|_| true);
        assert!(mean_error(&all) <= LOOPS, "loops: {}", mean_error(&all));
    }
}
