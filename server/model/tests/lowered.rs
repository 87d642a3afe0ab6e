//! Compares the predicted cycles of lowered PTX with measured cycles on an H100, if the programs are available.
//!
//! `cargo test --release -p model --test lowered -- --nocapture` prints the errors by class.

#![expect(clippy::disallowed_methods, reason = "a test reads the measured programs")]

use machine::{Arch, Machine};
use model::address::{Addresses, WarpThreads};
use model::pipeline::views::Region;
use model::pipeline::{Code, InstructionPath, clock_reads, simulate};
use model::ptx::Names;
use model::ptx::lower::{Facts, Lowered};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use syntax::ptx::Module;

const MAX_ISSUES: u64 = 5_000_000;

/// Returns the cycles of one warp between the two clock reads.
fn cycles(lowered: &Lowered) -> Result<u64, String> {
    let (chunk, program) = (&lowered.chunk, &lowered.program);
    let addresses = Addresses::compute(chunk, program);
    let lanes = WarpThreads::first([1024, 1, 1]);
    let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
    let code = Code::new(chunk, program, requests).expect("sm_90 is calibrated");
    let reads = clock_reads(chunk);
    let [first, last] = reads[..] else { return Err(format!("{} clock reads", reads.len())) };
    let way = InstructionPath::between(program, |branch| addresses.trips(branch as usize), first, last)
        .map_err(|problem| problem.to_string())?;
    let mut region = Region::new(first, last, way.path.rounds, 1);
    simulate(&code, &way.path, 1, MAX_ISSUES, &mut region).map_err(|stop| format!("{stop:?}"))?;
    region.cycles().ok_or_else(|| "the region was not passed".to_owned())
}

fn lower_all(text: &str, arch: &Arc<Arch>) -> BTreeMap<String, Lowered> {
    let module = Module::parse(text);
    let facts = Facts::collect(&module);
    let functions = module.items().iter().filter(|item| item.function().is_some());
    functions
        .filter_map(|item| {
            Some((item.name()?.to_owned(), Lowered::lower(item, &Names::resolve(item), &facts, arch)?))
        })
        .collect()
}

/// Maximum mean error: the error in `server/docs/accuracy.md`, rounded up.
const MEAN_ERROR: f64 = 0.092;

#[test]
fn straight_programs_take_about_the_cycles_that_were_measured() {
    for folder in testkit::measured("blocks") {
        straight_programs_of(&folder);
    }
}

fn straight_programs_of(folder: &Path) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file exists");
    let mut measured: BTreeMap<String, u64> = BTreeMap::new();
    for row in read("straight.csv").lines().skip(2) {
        let cells: Vec<&str> = row.split(',').collect();
        if cells[1] == "1" {
            measured.insert(cells[0].to_owned(), cells[2].parse().expect("the cell is a number"));
        }
    }
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let lowered = lower_all(&read("straight.ptx"), &arch);
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, measured) in &measured {
        let lowered = &lowered[name];
        let predicted = cycles(lowered).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(lowered.unknown.is_empty(), "{name}: {:?}", lowered.unknown);
        let class = name.rsplit('_').next().unwrap_or(name);
        let error = predicted as f64 / *measured as f64 - 1.0;
        println!("{name} {predicted} {measured} {:+.1} %", 100.0 * error);
        errors.entry(class).or_default().push(error);
        errors.entry("all").or_default().push(error);
    }
    let mean = |errors: &[f64]| errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    for (class, errors) in &errors {
        let bias = errors.iter().sum::<f64>() / errors.len() as f64;
        println!(
            "{class:8} {:4} mean {:5.2} %  bias {:+5.2} %",
            errors.len(),
            100.0 * mean(errors),
            100.0 * bias
        );
    }
    assert!(mean(&errors["all"]) <= MEAN_ERROR);
}
