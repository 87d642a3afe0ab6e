//! Checks invariants of every listing in this repository, and in the shared folder next to it if that folder exists.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::{Flow, Machine};
use model::Program;
use model::launch::{DeclaredResources, Launch};
use model::paper::{MissRatio, time};
use std::path::{Path, PathBuf};
use syntax::sass::Listing;

/// Returns the paths and texts of all listings in the corpus and the measurements of this repository and of the shared
/// folder.
fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = ["tests/corpus", "tests/measured"].map(|folder| root.join(folder)).to_vec();
    let shared = root.join("../shared");
    if shared.is_dir() {
        open.extend(["corpus", "hardware"].map(|folder| shared.join(folder)));
    } else {
        testkit::left_out("../shared is missing, so only the repository's own listings are tested");
    }
    let mut texts = Vec::new();
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|kind| kind != "ptx" && kind != "cu")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                texts.push((path, text));
            }
        }
    }
    texts.sort();
    texts
}

/// Number of kernels in this repository, rounded down.
const OWN_KERNELS: u32 = 180;

#[test]
fn every_kernel_has_a_critical_path_and_a_place_on_the_gpu() {
    let machine = Machine::builtin();
    let mut kernels = 0;
    for (path, text) in texts() {
        let listing = Listing::parse(&text);
        if listing.dialect().is_none() {
            continue;
        }
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let Some(sm) = chunk.sm().or(listing.sm()) else { continue };
            let gpu = machine.gpu_for_sm(sm.number);
            let program = Program::decode(chunk, &gpu.arch);
            let launch = Launch::assumed(&program, &gpu, DeclaredResources::default());
            let timing = time(&program, &gpu, &launch, MissRatio::default());
            let name = format!("{} {}", path.display(), chunk.name().unwrap_or("?"));
            for (at, inst) in program.instructions.iter().enumerate() {
                assert!(inst.opcode.is_some(), "{name}: {}", chunk.line_text(inst.line as usize));
                let times = timing.instructions()[at];
                assert!(times.efficiency > 0.0 && times.efficiency <= 1.0, "{name}");
                for dependence in timing.depends_on(at) {
                    let on = &timing.instructions()[dependence.on as usize];
                    assert!((dependence.on as usize) < at, "{name}");
                    assert!(times.issue_cycle >= on.issue_cycle + dependence.cycles, "{name}");
                }
                let leads = matches!(inst.flow, Flow::Branch) && inst.target.is_none();
                assert!(!leads, "{name}: where to? {}", chunk.line_text(inst.line as usize));
            }
            assert!(timing.kernel.occupancy.active_blocks > 0, "{name}");
            assert!(timing.kernel.sp_efficiency.is_none_or(|share| (0.0..=1.0).contains(&share)), "{name}");
            kernels += 1;
        }
    }
    println!("{kernels} kernels");
    assert!(kernels >= OWN_KERNELS, "{kernels} kernels");
}
