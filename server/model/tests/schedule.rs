//! Compares computed control codes with the compiler's codes in the issue simulation, if the measured programs are
//! available.
//!
//! `cargo test -p model --test schedule -- --nocapture` prints the ratios.

#![expect(clippy::disallowed_methods, reason = "a test reads the measured programs")]

use machine::Machine;
use model::address::{Addresses, WarpThreads};
use model::pipeline::views::Region;
use model::pipeline::{Code, InstructionPath, clock_reads, simulate};
use model::schedule::{Request, compute};
use model::{Chunk, Program, hazards};
use std::fs;
use std::path::{Path, PathBuf};
use syntax::sass::Listing;

const MAX_ISSUES: u64 = 5_000_000;

/// A measured program, prepared for simulation with any control codes.
struct Subject<'a> {
    program: &'a Program,
    code: Code,
    way: InstructionPath,
    first: u32,
    last: u32,
}

impl<'a> Subject<'a> {
    fn of(chunk: &Chunk, program: &'a Program) -> Self {
        let addresses = Addresses::compute(chunk, program);
        let lanes = WarpThreads::first([1024, 1, 1]);
        let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
        let code = Code::new(chunk, program, requests).expect("sm_90 is calibrated");
        let reads = clock_reads(chunk);
        let [first, last] = reads[..] else { panic!("two clock reads") };
        let trips = |branch: u32| addresses.trips(branch as usize);
        let way = InstructionPath::between(program, trips, first, last).expect("there is a path");
        Self { program, code, way, first, last }
    }

    fn cycles(&self, code: &Code, warps: u32) -> u64 {
        let mut region = Region::new(self.first, self.last, self.way.path.rounds, warps);
        simulate(code, &self.way.path, warps, MAX_ISSUES, &mut region).expect("the simulation ends");
        region.cycles().expect("the region was passed")
    }

    /// Returns the cycles with the planned codes divided by the cycles with the original codes, and a line with the
    /// program's name and both numbers.
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
    let text = fs::read_to_string(folder.join(format!("{kind}.sass"))).expect("the file exists");
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
    for folder in testkit::measured("blocks") {
        for (kind, warps) in [("straight", 1), ("loops", 1), ("loops", 8)] {
            let (mean, _) = compare(&folder, kind, warps, false);
            assert!(mean <= 1.03, "{kind}, {warps} warps: {mean}");
            let (reordered, _) = compare(&folder, kind, warps, true);
            assert!(reordered < mean, "{kind}, {warps} warps: {reordered}, in the old order {mean}");
        }
    }
}

/// Finds every listing below a folder, including those in cuobjdump's and nvdisasm's formats that carry encodings.
fn listings(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the file exists").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            listings(&path, found);
        } else if name.ends_with(".cuobjdump-sass.txt")
            || path.extension().is_some_and(|ending| ending == "sass")
        {
            found.push(path);
        }
    }
}

/// Returns the program with a plan's order and codes.
fn rewritten(program: &Program, order: &[u32], controls: &[model::Control]) -> Program {
    let mut rewritten = program.clone();
    for (place, (&old, control)) in order.iter().zip(controls).enumerate() {
        let mut inst = program.instructions[old as usize];
        inst.address = program.instructions[place].address;
        inst.control = Some(*control);
        inst.dual = control.dual;
        rewritten.instructions[place] = inst;
    }
    rewritten
}

#[test]
fn rewritten_compiler_code_has_no_hazard() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/corpus", "tests/measured/h100"] {
        listings(&root.join(folder), &mut files);
    }
    assert!(files.len() >= 10, "the repository's own listings are there");
    let shared = root.join("../shared");
    if shared.is_dir() {
        for folder in ["corpus/samples", "hardware/h100"] {
            listings(&shared.join(folder), &mut files);
        }
    } else {
        testkit::left_out("../shared is missing, so only the repository's own code is rewritten");
    }
    let (mut kernels, mut instructions, mut dependences, mut notes) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for file in &files {
        let listing = Listing::parse(&fs::read_to_string(file).expect("the file is text"));
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let sm = chunk.sm().map_or(90, |sm| sm.number);
            let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch);
            for reorder in [false, true] {
                let plan = compute(chunk, &program, &Request { reorder, ..Request::default() });
                notes += plan.notes.len();
                let new = rewritten(&program, &plan.order, &plan.controls);
                // New code keeps its distances by stall counts alone.
                let checked = hazards::check_in(&new, hazards::Time::Stalls);
                dependences += checked.dependences;
                let address = |inst: u32| program.instructions[inst as usize].address;
                wrong.extend(checked.hazards.iter().map(|hazard| {
                    let (first, second) = (address(hazard.first), address(hazard.second));
                    let file = file.file_name().expect("the path names a file").to_string_lossy();
                    format!(
                        "{file} sm_{sm} {:?} {first:#x} {second:#x} {hazard:?} {:?}",
                        chunk.name(),
                        plan.notes
                    )
                }));
            }
            kernels += 1;
            instructions += program.instructions.len();
        }
    }
    println!("{kernels} kernels, {instructions} instructions, {dependences} dependences, {notes} notes");
    for hazard in wrong.iter().take(60) {
        println!("{hazard}");
    }
    assert!(wrong.is_empty(), "{} hazards", wrong.len());
}
