//! Compares predictions for the paper's kernel with the paper's measurements.
//!
//! One kernel is built here from the description in section 4.1 of the paper. The authors' own listing is not part of
//! this repository; if it is available, its exact figures are checked as well.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::Machine;
use model::launch::{HitRate, Launch, Stated, StatedBy};
use model::paper::{MissRatio, time};
use model::{Program, Timing};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use syntax::sass::Listing;

const LISTING: &str = "corpus/third-party/kepleras-sgemm/sgemm_tn_192x192.cuobjdump-sass.txt";

/// Returns the text of the authors' listing. If the file is missing, reports this and returns `None`.
fn authors() -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(LISTING);
    let text = std::fs::read_to_string(file).ok();
    if text.is_none() {
        testkit::left_out(&format!("../shared/{LISTING} is missing"));
    }
    text
}

/// Number of rows and number of columns of the sums that each thread computes.
const BLOCKING: u32 = 12;
/// Steps along K per iteration.
const STEPS: u32 = 4;
/// Control code of an instruction that issues together with the next instruction.
const DUAL: u64 = 0x04;
/// Control code of an instruction that does not issue together with the next instruction.
const SINGLE: u64 = 0x05;

/// Returns a kernel with the main loop of the paper, and the address of the branch that ends the loop. Each thread has
/// 12 x 12 sums. `LDS.64` loads the next fragments into the second of two register buffers, and `LDG.128` and `STS.64` move
/// the next tile. Each group of seven instructions issues in the pattern 1-2-2-1: six `FFMA` and one other instruction.
fn own() -> (String, u32) {
    let mut text = String::from("\n\tcode for sm_35\n\t\tFunction : sgemm\n");
    let mut bundle = |codes: [u64; 7], instructions: &[String], address: u32| {
        let fields = codes.iter().rev().fold(0, |word, code| word << 8 | code);
        writeln!(text, "{:82}/* {:#018x} */", "", 0x0800_0000_0000_0000 | fields << 2).expect("infallible");
        for (instruction, at) in instructions.iter().zip(1..) {
            let own = address + 8 * at;
            writeln!(text, "        /*{own:04x}*/ {instruction:>40}; /* 0x0000000000000000 */")
                .expect("infallible");
        }
    };
    let groups = BLOCKING * BLOCKING / 6;
    let buffer = |step: u32| 144 + 24 * (step % 2);
    let mut address = 0;
    for step in 0..STEPS {
        for group in 0..groups {
            let product = |sum: u32| {
                let (row, column) = (buffer(step) + sum / BLOCKING, buffer(step) + BLOCKING + sum % BLOCKING);
                format!("FFMA R{sum}, R{row}, R{column}, R{sum}")
            };
            let other = match (step, group) {
                (_, 0..12) => {
                    format!(
                        "LDS.64 R{}, [R200+{:#x}]",
                        buffer(step + 1) + 2 * group,
                        0x100 * (group + 12 * step)
                    )
                }
                (0, 12) => "LDG.E.128 R192, [R202]".to_owned(),
                (0, 13) => "LDG.E.128 R196, [R204]".to_owned(),
                (1, 12) => "IADD32I R210, R210, -0x4".to_owned(),
                (1, 13) => "IADD R202, R202, R211".to_owned(),
                (1, 14) => "IADD R204, R204, R211".to_owned(),
                (2, 12) => "ISETP.GT.AND P0, PT, R210, RZ, PT".to_owned(),
                (3, 12) => "TEXDEPBAR 0x0".to_owned(),
                (3, 13..17) => {
                    format!("STS.64 [R206+{:#x}], R{}", 0x800 * (group - 13), 192 + 2 * (group - 13))
                }
                (3, 17) => "BAR.SYNC 0x0".to_owned(),
                (3, 23) => "@P0 BRA 0x8".to_owned(),
                _ => "NOP".to_owned(),
            };
            let mut instructions: Vec<String> = (6 * group..6 * group + 6).map(product).collect();
            instructions.push(other);
            bundle([SINGLE, DUAL, SINGLE, DUAL, SINGLE, DUAL, SINGLE], &instructions, address);
            address += 0x40;
        }
    }
    let end = ["EXIT", "BRA 0x1848", "NOP", "NOP", "NOP", "NOP", "NOP"].map(str::to_owned);
    bundle([0x20; 7], &end, address);
    (text, address - 0x8)
}

/// Times a kernel for M = N = K = 3840: 20 x 20 blocks of 256 threads, and 3840 / 4 iterations of the main loop.
fn timing(text: &str, trips: &[(u32, u64)]) -> (Program, Timing) {
    let gpu = Machine::builtin().gpu("k20m").expect("the data include the paper's GPU");
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
        trips: trips.iter().copied().collect(),
        constants: BTreeMap::new(),
        arrays: Vec::new(),
        cluster: [1; 3],
        tensor_maps: Vec::new(),
        hit_rate: HitRate::default(),
        measured: None,
        convolution: None,
        block_by: StatedBy::Launch,
        assumed: false,
    };
    let timing = time(&program, &gpu, &launch, MissRatio::default());
    (program, timing)
}

/// The loops of the authors' kernel, by the address of the branch, with their trip counts. The outer loop handles a K that
/// is not a multiple of 4, so it runs once.
const AUTHORS_TRIPS: [(u32, u64); 2] = [(0x1d38, 960), (0x1d48, 1)];

/// Asserts that a kernel is predicted as in Table 3 of the paper; returns its share of the peak and its IPC.
fn assert_as_measured(program: &Program, timing: &Timing) -> (f64, f64) {
    assert!(program.instructions.iter().all(|inst| inst.opcode.is_some()));
    let kernel = &timing.kernel;
    let efficiency = kernel.sp_efficiency.expect("the kernel computes");
    assert!((efficiency - 0.86).abs() <= 0.03, "SP efficiency {efficiency}, measured 0.86");
    let ipc = kernel.ipc.expect("the kernel runs");
    assert!((ipc - 6.1).abs() <= 0.05 * 6.1, "IPC {ipc}, measured 6.1");
    assert_eq!((kernel.occupancy.fraction() * 100.0) as u32, 12);
    assert!(kernel.cycles.is_some());
    (efficiency, ipc)
}

#[test]
fn a_kernel_made_by_the_papers_text_is_predicted_as_measured() {
    let (text, branch) = own();
    let (program, timing) = timing(&text, &[(branch, 960)]);
    let (efficiency, ipc) = assert_as_measured(&program, &timing);
    println!("{efficiency} {ipc}");
    let last =
        program.instructions.iter().position(|inst| inst.address == branch).expect("the loop ends there");
    // 96 groups of 4 cycles, 52 shared accesses of one more, 2 LDG.128 of 7 more; less the last one's.
    assert_eq!(timing.instructions()[last].issue_cycle, 96 * 4 + 52 + 2 * 7 - 1);
}

#[test]
fn the_authors_kernel_is_predicted_as_measured() {
    let Some(text) = authors() else { return };
    let (program, timing) = timing(&text, &AUTHORS_TRIPS);
    let (efficiency, ipc) = assert_as_measured(&program, &timing);
    assert!((efficiency - 0.841).abs() < 0.0005 && (ipc - 5.90).abs() < 0.005, "{efficiency} {ipc}");
}

#[test]
fn the_main_loop_issues_1_2_2_1() {
    let Some(text) = authors() else { return };
    let (program, timing) = timing(&text, &AUTHORS_TRIPS);
    let first =
        program.instructions.iter().position(|inst| inst.address == 0x548).expect("the loop starts there");
    let dual: Vec<bool> = program.instructions[first..first + 7].iter().map(|inst| inst.dual).collect();
    assert_eq!(dual, [false, true, false, true, false, true, false]);
    let cycles: Vec<u32> =
        timing.instructions()[first..first + 8].iter().map(|inst| inst.issue_cycle).collect();
    assert_eq!(cycles, [0, 1, 1, 2, 2, 3, 3, 4]);
    // 96 groups of 4 cycles, 52 shared accesses of one more, 2 LDG.128 of 7 more, 3 cycles of latency; less the last
    // one's.
    let last =
        program.instructions.iter().position(|inst| inst.address == 0x1d38).expect("the loop ends there");
    assert_eq!(timing.instructions()[last].issue_cycle, 96 * 4 + 52 + 2 * 7 + 3 - 1);
}

#[test]
fn a_loop_without_trips_has_ratios_but_no_total() {
    let (text, branch) = own();
    let (program, timing) = timing(&text, &[(branch, 960)]);
    let gpu = Machine::builtin().gpu("k20m").expect("the data include the paper's GPU");
    let launch = Launch::assumed(&program, &gpu, model::launch::DeclaredResources::default());
    let kernel = model::paper::kernel_times(&program, &timing.code, &gpu, &launch);
    assert_eq!(kernel.cycles, None);
    let address = format!("{branch:#x}");
    assert!(kernel.notes.iter().any(|note| note.contains(&address)), "{:?}", kernel.notes);
    assert!(kernel.sp_efficiency.is_some() && kernel.ipc.is_some());
}
