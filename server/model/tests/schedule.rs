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

fn cycles(chunk: &Chunk, program: &Program, addresses: &Addresses, warps: u32) -> u64 {
    let lanes = Lanes::first([1024, 1, 1]);
    let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
    let code = Code::new(chunk, program, requests).expect("sm_90 is calibrated");
    let reads = clock_reads(chunk);
    let [first, last] = reads[..] else { panic!("two clock reads") };
    let way = Way::between(program, |branch| addresses.trips(branch as usize), first, last).expect("a way");
    let mut region = Region::new(first, last, way.path.rounds, warps);
    simulate(&code, &way.path, warps, MOST_ISSUES, &mut region).expect("it ends");
    region.cycles().expect("it was passed")
}

fn compare(folder: &Path, kind: &str, warps: u32) -> (f64, f64) {
    let text = fs::read_to_string(folder.join(format!("{kind}.sass"))).expect("it is there");
    let listing = Listing::parse(&text);
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for chunk in listing.chunks() {
        let Some(name) = chunk.name().filter(|_| !chunk.instructions().is_empty()) else { continue };
        let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
        let addresses = Addresses::of(chunk, &program);
        let plan = compute(chunk, &program, &Request::default());
        assert!(plan.notes.is_empty(), "{name}: {:?}", plan.notes);
        let mut rewritten = program.clone();
        for (inst, control) in rewritten.instructions.iter_mut().zip(&plan.controls) {
            inst.control = Some(*control);
        }
        let before = cycles(chunk, &program, &addresses, warps);
        let after = cycles(chunk, &rewritten, &addresses, warps);
        ratios.push((after as f64 / before as f64, format!("{name} {before} {after}")));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("{kind}, {warps} warps: {} programs, geometric mean {mean:.4}", ratios.len());
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
    for (kind, warps) in [("straight", 1), ("loops", 1), ("loops", 8)] {
        let (mean, worst) = compare(&folder, kind, warps);
        assert!(mean <= 1.03, "{kind}: {mean}");
        assert!(worst <= 1.15, "{kind}: {worst}");
    }
}
