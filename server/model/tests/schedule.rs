//! Control codes from scratch against the compiler's, by the issue simulation, where the measured programs are at hand.
//!
//! `cargo test -p model --test schedule -- --nocapture` prints the ratios.

#![expect(clippy::disallowed_methods, reason = "a test reads the measured programs")]

use machine::Machine;
use model::address::{Addresses, Lanes};
use model::pipeline::views::Region;
use model::pipeline::{Code, Way, clock_reads, simulate};
use model::schedule::{Request, compute};
use model::{Chunk, Program};
use std::fs;
use std::path::Path;
use syntax::sass::Listing;

const MOST_ISSUES: u64 = 5_000_000;

/// One program, ready to be simulated with any codes.
struct Subject<'a> {
    program: &'a Program,
    code: Code,
    way: Way,
    first: u32,
    last: u32,
}

impl<'a> Subject<'a> {
    fn of(chunk: &Chunk, program: &'a Program) -> Self {
        let addresses = Addresses::of(chunk, program);
        let lanes = Lanes::first([1024, 1, 1]);
        let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
        let code = Code::new(chunk, program, requests).expect("sm_90 is calibrated");
        let reads = clock_reads(chunk);
        let [first, last] = reads[..] else { panic!("two clock reads") };
        let trips = |branch: u32| addresses.trips(branch as usize);
        let way = Way::between(program, trips, first, last).expect("a way");
        Self { program, code, way, first, last }
    }

    fn cycles(&self, code: &Code, warps: u32) -> u64 {
        let mut region = Region::new(self.first, self.last, self.way.path.rounds, warps);
        simulate(code, &self.way.path, warps, MOST_ISSUES, &mut region).expect("it ends");
        region.cycles().expect("it was passed")
    }

    /// Cycles with the planned codes over those with its own.
    fn ratio(&self, chunk: &Chunk, request: &Request, warps: u32) -> (f64, String) {
        let plan = compute(chunk, self.program, request);
        if !plan.notes.is_empty() {
            println!("{:?}: {:?}", chunk.name(), plan.notes);
        }
        let before = self.cycles(&self.code, warps);
        let after = self.cycles(&self.code.arranged(&plan.order, &plan.controls), warps);
        (after as f64 / before as f64, format!("{} {before} {after}", chunk.name().unwrap_or("?")))
    }
}

fn compare(folder: &Path, kind: &str, warps: u32, reorder: bool) -> (f64, f64) {
    let text = fs::read_to_string(folder.join(format!("{kind}.sass"))).expect("it is there");
    let listing = Listing::parse(&text);
    let request = Request { reorder, ..Request::default() };
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for chunk in listing.chunks() {
        if chunk.name().is_none() || chunk.instructions().is_empty() {
            continue;
        }
        let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
        ratios.push(Subject::of(chunk, &program).ratio(chunk, &request, warps));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let reordered = if reorder { ", reordered" } else { "" };
    println!("{kind}, {warps} warps{reordered}: {} programs, geometric mean {mean:.4}", ratios.len());
    for (ratio, name) in ratios.iter().take(8) {
        println!("  {ratio:.3} {name}");
    }
    (mean, ratios[0].0)
}

#[test]
fn rewritten_programs_take_no_more_cycles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/hardware/h100/blocks");
    if !folder.is_dir() {
        println!("left out: the measured programs are not at hand");
        return;
    }
    let mut misses = Vec::new();
    for (kind, warps, reorder) in [
        ("straight", 1, false),
        ("straight", 1, true),
        ("loops", 1, false),
        ("loops", 1, true),
        ("loops", 8, false),
        ("loops", 8, true),
    ] {
        let (mean, worst) = compare(&folder, kind, warps, reorder);
        let most = if reorder { 1.0 } else { 1.03 };
        if mean > most || worst > 1.15 {
            misses.push((kind, warps, reorder, mean, worst));
        }
    }
    assert!(misses.is_empty(), "{misses:?}");
}
