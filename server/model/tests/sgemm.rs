//! The paper's own kernel, against what the paper measured. The listing is not part of this repository.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::Machine;
use model::launch::{HitRate, Launch, Stated, StatedBy};
use model::paper::{MissRatio, time};
use model::{Program, Timing};
use std::collections::BTreeMap;
use std::path::Path;
use syntax::sass::Listing;

const LISTING: &str = "corpus/third-party/kepleras-sgemm/sgemm_tn_192x192.cuobjdump-sass.txt";

/// The text of a file of the shared folder beside the repository; `None`, said aloud, where that is absent.
fn shared(path: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    let text = std::fs::read_to_string(file).ok();
    if text.is_none() {
        testkit::left_out(&format!("../shared/{path} is not here"));
    }
    text
}

/// M = N = K = 3840: 20 x 20 blocks of 256 threads, and 3840 / 4 passes of the main loop. The loop around it, for a K that
/// is no multiple of 4, is not repeated.
fn timing(text: &str) -> (Program, Timing) {
    let gpu = Machine::builtin().gpu("k20m").expect("the data have the paper's GPU");
    let listing = Listing::parse(text);
    let chunk =
        listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("there is a kernel");
    let program = Program::decode(chunk, &gpu.arch);
    let launch = Launch {
        name: None,
        grid: [20, 20, 1],
        block: [256, 1, 1],
        registers: Stated { value: model::launch::inferred_registers(&program), by: StatedBy::Inferred },
        shared: Stated { value: 0x4010, by: StatedBy::Inferred },
        trips: BTreeMap::from([(0x1d38, 960), (0x1d48, 1)]),
        constants: BTreeMap::new(),
        arrays: Vec::new(),
        hit_rate: HitRate::default(),
        measured: None,
        convolution: None,
        block_by: StatedBy::Launch,
        assumed: false,
    };
    let timing = time(&program, &gpu, &launch, MissRatio::default());
    (program, timing)
}

#[test]
fn the_papers_kernel_is_predicted_as_measured() {
    let Some(text) = shared(LISTING) else { return };
    let (program, timing) = timing(&text);
    assert!(program.instructions.iter().all(|inst| inst.opcode.is_some()));
    let kernel = &timing.kernel;
    println!("{kernel:#?}");
    let efficiency = kernel.sp_efficiency.expect("it computes");
    assert!((efficiency - 0.86).abs() <= 0.03, "SP efficiency {efficiency}, measured 0.86");
    let ipc = kernel.ipc.expect("it runs");
    assert!((ipc - 6.1).abs() <= 0.05 * 6.1, "IPC {ipc}, measured 6.1");
    assert_eq!((kernel.occupancy.fraction() * 100.0) as u32, 12);
    assert!(kernel.cycles.is_some());
}

#[test]
fn its_main_loop_issues_1_2_2_1() {
    let Some(text) = shared(LISTING) else { return };
    let (program, timing) = timing(&text);
    let first =
        program.instructions.iter().position(|inst| inst.address == 0x548).expect("the loop starts there");
    let dual: Vec<bool> = program.instructions[first..first + 7].iter().map(|inst| inst.dual).collect();
    assert_eq!(dual, [false, true, false, true, false, true, false]);
    let cycles: Vec<u32> =
        timing.instructions()[first..first + 8].iter().map(|inst| inst.issue_cycle).collect();
    assert_eq!(cycles, [0, 1, 1, 2, 2, 3, 3, 4]);
    // 96 groups of 4 cycles, 52 shared accesses of one more, 2 LDG.128 of 7 more, 3 cycles of latency; less the last one's.
    let last =
        program.instructions.iter().position(|inst| inst.address == 0x1d38).expect("the loop ends there");
    assert_eq!(timing.instructions()[last].issue_cycle, 96 * 4 + 52 + 2 * 7 + 3 - 1);
}

#[test]
fn a_loop_without_trips_has_ratios_but_no_total() {
    let Some(text) = shared(LISTING) else { return };
    let (program, timing) = timing(&text);
    let gpu = Machine::builtin().gpu("k20m").expect("the data have the paper's GPU");
    let launch = Launch::assumed(&program, &gpu, model::launch::Stating::default());
    let kernel = model::paper::kernel_times(&program, &timing.code, &gpu, &launch);
    assert_eq!(kernel.cycles, None);
    assert!(kernel.notes.iter().any(|note| note.contains("0x1d38")), "{:?}", kernel.notes);
    assert!(kernel.sp_efficiency.is_some() && kernel.ipc.is_some());
}
