//! Whole launches of small kernels.

use super::*;
use crate::Program;
use crate::execution::{Warp, place_of};
use crate::launch::DeclaredResources;
use crate::pipeline::prediction::Limiter;
use crate::pipeline::{Issue, Path, simulate};
use machine::Machine;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use syntax::sass::Listing;

pub(super) struct Kernel {
    code: Code,
    run: execution::Code,
    gpu: Gpu,
    launch: Launch,
}

impl Kernel {
    /// Builds a kernel from SASS with control codes, one instruction per line; `None` if a control code is missing.
    fn of(body: &str, grid: [u32; 3], block: [u32; 3]) -> Option<Self> {
        let text = format!(".__elf_type ET_EXEC\n.text.kernel:\n{body}");
        let listing = Listing::parse(&text);
        let gpu = Machine::builtin().gpu_for_sm(90);
        let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty())?;
        let program = Program::decode(chunk, &gpu.arch);
        let mut launch =
            Launch { grid, block, ..Launch::assumed(&program, &gpu, DeclaredResources::default()) };
        launch.registers.value = 32;
        launch.point(0x210, "arg0".into(), None);
        launch.point(0x218, "arg1".into(), None);
        let code = Code::new(chunk, &program, |_| None)?;
        Some(Self { code, run: execution::Code::new(chunk, &program, &launch.trips), gpu, launch })
    }

    pub(super) fn new(body: &str, grid: [u32; 3], block: [u32; 3]) -> Self {
        Self::of(body, grid, block).expect("the text has control codes")
    }

    pub(super) fn predict(&self, most: u64) -> Result<Prediction, NoPrediction> {
        predict(&self.code, &self.run, &self.gpu, &self.launch, Budget::new(most), &|| true)
    }

    /// Returns the shares of the launch on a GPU with one SM, which runs all blocks.
    pub(super) fn of_one_sm(&self, resident: u32) -> Shares {
        let all_blocks = self.launch.blocks();
        let per_block = self.launch.threads_per_block().div_ceil(32);
        Shares { sms: 1, per_block, resident, all_blocks, blocks: all_blocks as f64, of_chip: 1.0 }
    }

    /// Returns all issues of a launch with these shares, and the number of skipped instructions.
    pub(super) fn issues(&self, shares: &Shares, thinned: Option<f64>) -> (Vec<Issue>, u64) {
        let l1_bytes = l1_bytes(&self.code, &self.gpu.arch, &self.launch);
        let lines = Lines::from_arch(&self.gpu.arch);
        let look = FootprintInputs {
            run: &self.run,
            arch: &self.gpu.arch,
            launch: &self.launch,
            shares,
            lines,
            tiles: &TileBytes::default(),
        };
        let footprint = Footprint::measure(&look, Cache::l1(&self.code.figures, l1_bytes), 100_000);
        let arrays = footprint.shares(&self.code, &self.launch, shares);
        let memory = Memory::new(&self.code.figures, lines, l1_bytes, shares.of_chip, arrays, None, 1.0);
        let mut sm = set_up(&self.code, look, memory);
        if let Some(times) = thinned {
            sm.route.thin_out(times);
        }
        let mut issues = Vec::new();
        while let Some((core, cycle)) = sm.next() {
            issues.push(sm.issue(core, cycle));
        }
        (issues, sm.route.passed)
    }

    /// Counts the executions of each instruction over the launch.
    fn executed(&self) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for block in 0..self.launch.blocks() {
            for warp in 0..self.launch.threads_per_block().div_ceil(32) {
                let mut warp = Warp::new(&self.run, &self.launch, &place_of(&self.launch, block, warp));
                while let Some(ran) = warp.step(&self.run) {
                    *counts.entry(ran.inst).or_default() += 1;
                }
            }
        }
        counts
    }
}

/// Kernel with a loop; block `b` runs `b + 3` iterations.
const BY_BLOCK: &str = "\
[B------:R-:W0:-:S02] S2R R0, SR_CTAID.X ;
[B------:R-:W1:-:S02] S2R R3, SR_TID.X ;
[B------:R-:W-:-:S04] IMAD.MOV.U32 R2, RZ, RZ, RZ ;
[B01----:R-:W-:-:S05] IADD3 R0, R0, 0x3, RZ ;
.L_x_0:
[B------:R-:W0:-:S02] LDS R5, [R3] ;
[B0-----:R-:W-:-:S04] IADD3 R2, R2, 0x1, RZ ;
[B------:R-:W-:-:S01] BAR.SYNC.DEFER_BLOCKING 0x0 ;
[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R2, R0, PT ;
[B------:R-:W-:Y:S05] @!P0 BRA `(.L_x_0) ;
[B------:R-:W-:Y:S05] EXIT ;
";

/// Kernel that copies four bytes per thread from the first array to the second.
const STREAM: &str = "\
[B------:R-:W0:-:S02] S2R R0, SR_CTAID.X ;
[B------:R-:W1:-:S02] S2R R3, SR_TID.X ;
[B01----:R-:W-:-:S05] IMAD R0, R0, 0x100, R3 ;
[B------:R-:W-:-:S06] IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x210] ;
[B------:R-:W2:-:S02] LDG.E R6, desc[UR4][R2.64] ;
[B------:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218] ;
[B--2---:R-:W-:-:S01] STG.E desc[UR4][R4.64], R6 ;
[B------:R-:W-:Y:S05] EXIT ;
";

const ALONE: &str = "\
[B------:R-:W0:-:S02] S2R R0, SR_TID.X ;
[B0-----:R-:W-:-:S04] IADD3 R2, R0, 0x1, RZ ;
[B------:R-:W-:-:S04] FADD R3, R2, R2 ;
[B------:R-:W-:-:S04] FADD R3, R3, R2 ;
[B------:R-:W-:Y:S05] EXIT ;
";

#[test]
fn the_largest_grid_takes_no_longer_than_others() {
    let body = "      [B------:R-:W-:-:S04] IADD3 R1, R1, 0x1, RZ ;\n      [B------:R-:W-:-:S05] EXIT ;\n";
    let small = Kernel::new(body, [1 << 20, 1, 1], [1024, 1, 1]).predict(2000).expect("it is timed");
    let large =
        Kernel::new(body, [i32::MAX as u32, 65535, 65535], [1024, 1, 1]).predict(2000).expect("it is timed");
    let more = f64::from(i32::MAX) * 65535.0 * 65535.0 / f64::from(1 << 20);
    let ratio = large.cycles / small.cycles / more;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every block runs exactly once, for any number of block slots per SM.
    #[test]
    fn every_block_is_run_once(blocks in 1..14_u32, threads in 1..130_u32, resident in 1..6_u32) {
        let kernel = Kernel::new(BY_BLOCK, [blocks, 1, 1], [threads, 1, 1]);
        let shares = kernel.of_one_sm(resident);
        let (issues, _) = kernel.issues(&shares, None);
        let mut counts = BTreeMap::new();
        for issue in &issues {
            *counts.entry(issue.inst).or_default() += 1;
            prop_assert!(issue.warp < resident.min(blocks) * shares.per_block);
        }
        prop_assert_eq!(counts, kernel.executed());
    }

    /// Simulated and skipped instructions add up to all executed instructions.
    #[test]
    fn what_is_not_simulated_is_passed_over(blocks in 1..5_u32, trips in 1..200_u32, times in 1.1..12.0_f64) {
        let body = BY_BLOCK.replace("IADD3 R0, R0, 0x3", &format!("IADD3 R0, R0, {trips:#x}"));
        let kernel = Kernel::new(&body, [blocks, 1, 1], [64, 1, 1]);
        let (issues, passed) = kernel.issues(&kernel.of_one_sm(2), Some(times));
        let all: u64 = kernel.executed().values().sum();
        prop_assert_eq!(issues.len() as u64 + passed, all);
    }

    /// Any text yields a finite prediction or a reason why there is none.
    #[test]
    fn no_text_panics_or_runs_on(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "S2R R0, SR_TID.X", "S2R R2, SR_CTAID.X", "@!P0 BRA 0x10", "BRA 0x40", "@P1 BRA 0x80", "VIADD R2, R2, 0x4", "EXIT",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT", "ISETP.GE.AND P1, PT, R0, 0x7, PT", "LDS R4, [R2+UR4]", "BRX R2 -0x6e0", "BRA 0x0",
                "BSSY B0, 0x50", "BSYNC B0", "BREAK B0", "@P0 EXIT", "@P1 EXIT", "CALL.REL.NOINC 0x20", "RET.REL.NODEC R4 0x0",
                "STL [R0], R2", "LDL R2, [R0]", "LDG.E R4, desc[UR4][R2.64]", "STG.E.128 desc[UR4][R2.64+0x10], R4", "BAR.SYNC 0x0",
                "IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x210]", "LDG.E.64 R6, desc[UR4][R2.64]", "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5",
                "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", "LDGSTS.E.128 [R7], desc[UR4][R2.64]", "LDSM.16.M88.4 R4, [R2]", "FROB R2, R2",
                "HMMA.16816.F32 R4, R4, R6, R8", "MUFU.RCP R2, R2", "DEPBAR.LE SB0, 0x0", "IADD3 R2, P0, R2, R2, R2", "LEA", "NOP",
            ]),
            1..24,
        ),
        controls in prop::collection::vec((0..64_u8, prop::option::of(0..6_u8), 0..16_u8), 24),
        grid in 1..400_u32,
        threads in 1..1100_u32,
    ) {
        let mut body = String::new();
        for (line, (waits, writes, stall)) in lines.iter().zip(&controls) {
            let wait: String = (0..6).map(|at| if waits >> at & 1 == 1 { char::from(b'0' + at) } else { '-' }).collect();
            let write = writes.map_or("-".into(), |at| at.to_string());
            writeln!(body, "[B{wait}:R-:W{write}:-:S{stall:02}] {line} ;").unwrap();
        }
        let Some(kernel) = Kernel::of(&body, [grid, 1, 1], [threads, 1, 1]) else { return Ok(()) };
        match kernel.predict(3000) {
            Ok(prediction) => {
                prop_assert!(prediction.cycles.is_finite() && prediction.cycles > 0.0, "{:?}", prediction);
                let shares: f64 = prediction.stalls.iter().map(|stall| stall.1).sum();
                prop_assert!(prediction.stalls.is_empty() || shares <= 1.0 + 1e-9, "{:?}", prediction);
                prop_assert!(prediction.simulated > 0.0 && prediction.simulated <= 1.0 + 1e-9, "{:?}", prediction);
            }
            Err(why) => prop_assert_ne!(why, NoPrediction::Cancelled),
        }
    }
}

#[test]
fn one_warp_takes_what_its_way_takes_and_what_every_launch_does() {
    struct Last(u64);
    impl View for Last {
        fn issued(&mut self, issue: &Issue) -> bool {
            self.0 = issue.cycle;
            true
        }
    }

    let kernel = Kernel::new(ALONE, [1; 3], [32, 1, 1]);
    let mut last = Last(0);
    let path = Path { start: 0, end: 4, rounds: 1, ..Path::default() };
    simulate(&kernel.code, &path, 1, 100, &mut last).unwrap();
    let figures = &kernel.code.figures.launch;
    let own = cycles(&figures.base) + cycles(&figures.first) + (last.0 - START);
    let prediction = kernel.predict(1000).unwrap();
    assert!((prediction.cycles - own as f64).abs() < 1e-9, "{} of {own}", prediction.cycles);
    assert!((prediction.instructions - 5.0).abs() < 1e-9);
    assert!((prediction.simulated - 1.0).abs() < 1e-9);
}

/// Predicts the copy kernel after `change` has modified the pipeline timing of the GPU.
fn streamed(change: impl Fn(&mut machine::Pipeline)) -> Prediction {
    let mut kernel = Kernel::new(STREAM, [30_000, 1, 1], [256, 1, 1]);
    let mut figures = (*kernel.code.figures).clone();
    change(&mut figures);
    kernel.code.figures = Arc::new(figures);
    kernel.predict(20_000).unwrap()
}

#[test]
fn more_bandwidth_never_makes_a_copy_slower() {
    let of_dram = [25, 50, 100, 200, 300].map(|percent| {
        streamed(|figures| {
            for figure in [
                &mut figures.dram.bytes_per_cycle,
                &mut figures.dram.mixed_bytes_per_cycle,
                &mut figures.dram.full,
            ] {
                figure.value = figure.value * percent / 100;
            }
        })
    });
    assert!(of_dram.is_sorted_by(|less, more| less.cycles >= more.cycles), "{:?}", of_dram.map(|p| p.cycles));
    assert!(of_dram[0].cycles > 1.5 * of_dram[1].cycles, "{:?}", of_dram.each_ref().map(|p| p.cycles));
    assert_eq!(of_dram[0].limiter(), Limiter::Busy(Resource::Dram));
    let of_l2 = [50, 100, 200].map(|percent| {
        streamed(|figures| {
            for figure in
                [&mut figures.l2.requests, &mut figures.l2.stored_sectors, &mut figures.l2.stored_lines]
            {
                figure.value = figure.value * percent / 100;
            }
        })
    });
    assert!(of_l2.is_sorted_by(|less, more| less.cycles >= more.cycles), "{:?}", of_l2.map(|p| p.cycles));
}

#[test]
fn a_copy_moves_what_it_copies() {
    let bytes = 30_000.0 * 256.0 * 4.0;
    let prediction = streamed(|_| {});
    assert!((prediction.l2_bytes / (2.0 * bytes) - 1.0).abs() < 0.01, "{prediction:?}");
    assert!(prediction.dram_bytes >= 0.99 * bytes && prediction.dram_bytes <= 2.1 * bytes, "{prediction:?}");
    assert!(prediction.unknown_addresses.is_empty() && prediction.guessed_trips.is_empty());
    assert_eq!(prediction.l1_hit, Some(0.0));
}

#[test]
fn there_is_a_reason_where_there_is_no_prediction() {
    let kernel = Kernel::new(ALONE, [1; 3], [32, 1, 1]);
    let ends = predict(&kernel.code, &kernel.run, &kernel.gpu, &kernel.launch, Budget::new(1000), &|| false);
    // Cancellation is polled every 4,096 instructions: a short launch is done before.
    assert!(ends.is_ok());
    let large = Kernel::new(ALONE, [1; 3], [2048, 1, 1]);
    assert_eq!(large.predict(1000).unwrap_err(), NoPrediction::DoesNotFit);
    let long = Kernel::new(BY_BLOCK, [4000, 1, 1], [1024, 1, 1]);
    let ends = predict(&long.code, &long.run, &long.gpu, &long.launch, Budget::new(100_000), &|| false);
    assert_eq!(ends.unwrap_err(), NoPrediction::Cancelled);
}

/// Predicts a launch of `blocks` blocks on the whole GPU, and returns its certainty.
pub(super) fn certainty_of(body: &str, blocks: u32) -> Certainty {
    Kernel::new(body, [blocks, 1, 1], [256, 1, 1]).predict(40_000).unwrap().certainty
}

/// Returns the copy kernel with the instructions `more` inserted between its load and its store.
fn copy_with(more: &str) -> String {
    STREAM.replace(
        "[B--2---:R-:W-:-:S01] STG.E",
        &format!("[B--2---:R-:W-:-:S04] FADD R6, R6, R6 ;\n{more}[B------:R-:W-:-:S01] STG.E"),
    )
}

#[test]
fn untimed_instructions_that_matter_prevent_a_prediction() {
    assert_eq!(certainty_of(STREAM, 30_000), Certainty::Settled);
    let stores = "[B------:R-:W-:-:S02] REDAS [R24], R6 ;\n".repeat(64);
    assert_eq!(certainty_of(&copy_with(&stores), 30_000), Certainty::NotTimed("REDAS".into()));
    // The opcode with the larger share is named.
    let mixed = format!("{stores}[B------:R-:W-:-:S02] NANOSLEEP 0x1 ;\n");
    assert_eq!(certainty_of(&copy_with(&mixed), 30_000), Certainty::NotTimed("REDAS".into()));
    let unknown = "[B------:R-:W-:-:S02] FROB R6, R6 ;\n".repeat(64);
    assert_eq!(certainty_of(&copy_with(&unknown), 30_000), Certainty::NotTimed("FROB".into()));
}

#[test]
fn untimed_instructions_do_not_matter_when_memory_dominates() {
    // 30,000 blocks wait for DRAM, which hides a few more cycles per warp.
    let moved = "[B------:R-:W-:-:S02] MATCH.ANY R7, R6 ;\n";
    assert_eq!(certainty_of(&copy_with(moved), 30_000), Certainty::Settled);
}

#[test]
fn addresses_that_memory_decides_give_a_range() {
    // A copy from where a loaded index points.
    let gather = STREAM.replace(
        "[B--2---:R-:W-:-:S01] STG.E",
        "[B--2---:R-:W-:-:S06] IMAD.WIDE R8, R6, 0x4, c[0x0][0x210] ;\n[B------:R-:W2:-:S02] LDG.E R6, desc[UR4][R8.64] ;\n[B--2---:R-:W-:-:S01] STG.E",
    );
    let kernel = Kernel::new(&gather, [30_000, 1, 1], [256, 1, 1]);
    let prediction = kernel.predict(40_000).unwrap();
    let Certainty::Between { low, high } = prediction.certainty else { panic!("{prediction:?}") };
    assert!(low <= prediction.cycles && prediction.cycles <= high, "{prediction:?}");
    assert!(high > 2.0 * low, "32 lines of DRAM for each request are more than one sector: {low} to {high}");
    assert_eq!(prediction.number(), None);
    // A branch that data from memory decides, with work on one side that takes most of the time.
    let work = "[B------:R-:W-:-:S04] FADD R6, R6, R6 ;\n".repeat(400);
    let either = copy_with(&format!(
        "[B------:R-:W-:-:S13] FSETP.GT.AND P0, PT, R6, RZ, PT ;\n[B------:R-:W-:-:S05] @!P0 BRA `(.L_x_9) ;\n{work}.L_x_9:\n"
    ));
    assert!(matches!(certainty_of(&either, 300), Certainty::Between { .. }));
    assert_eq!(certainty_of(&copy_with(&work), 300), Certainty::Settled);
}

#[test]
fn slow_paths_that_may_matter_are_reported() {
    let division = "[B------:R-:W0:-:S02] FCHK P0, R6, R6 ;\n[B0-----:R-:W-:-:S05] @!P0 BRA `(.L_x_9) ;\n\
         [B------:R-:W-:-:S05] CALL.REL.NOINC `(.L_x_9) ;\n.L_x_9:\n";
    let of = |middle: &str| {
        let kernel = Kernel::new(&copy_with(middle), [300, 1, 1], [256, 1, 1]);
        kernel.predict(40_000).unwrap()
    };
    let prediction = of(division);
    assert_eq!(prediction.slow_paths.len(), 1);
    let width = |of: &Prediction| of.high / of.cycles;
    let plain = of(&"[B------:R-:W-:-:S04] FADD R6, R6, R6 ;\n".repeat(4));
    assert!(width(&prediction) > width(&plain) + 0.2, "{} {}", width(&prediction), width(&plain));
    let work = "[B------:R-:W-:-:S04] FADD R6, R6, R6 ;\n".repeat(400);
    assert!(of(&format!("{division}{work}")).slow_paths.is_empty(), "they would add little");
}

#[test]
fn contention_that_memory_decides_gives_a_range() {
    let count = STREAM.replace(
        "[B--2---:R-:W-:-:S01] STG.E desc[UR4][R4.64], R6 ;",
        "[B--2---:R-:W-:-:S06] IMAD.WIDE R8, R6, 0x4, c[0x0][0x218] ;\n[B------:R-:W-:-:S01] RED.E.ADD.STRONG.GPU desc[UR4][R8.64], R0 ;",
    );
    assert!(matches!(certainty_of(&count, 3_000), Certainty::Between { .. }));
    let shared = STREAM.replace(
        "[B--2---:R-:W-:-:S01] STG.E desc[UR4][R4.64], R6 ;",
        &"[B--2---:R-:W2:-:S02] ATOMS.ADD RZ, [R6], R0 ;\n".repeat(32),
    );
    assert!(matches!(certainty_of(&shared, 3_000), Certainty::Between { .. }));
}

#[test]
fn loops_that_memory_ends_give_a_range_unless_their_trips_are_stated() {
    let body = copy_with(
        ".L_x_1:\n[B------:R-:W-:-:S04] FADD R6, R6, R6 ;\n[B------:R-:W-:-:S13] FSETP.GT.AND P0, PT, R6, RZ, PT ;\n[B------:R-:W-:-:S05] @P0 BRA `(.L_x_1) ;\n",
    );
    let mut kernel = Kernel::new(&body, [300, 1, 1], [256, 1, 1]);
    let open = kernel.predict(40_000).unwrap();
    assert!(matches!(open.certainty, Certainty::Between { .. }), "{open:?}");
    let branch = *open.guessed_trips.first().expect("the loop's branch");
    let text = format!(".__elf_type ET_EXEC\n.text.kernel:\n{body}");
    let listing = Listing::parse(&text);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).unwrap();
    let program = Program::decode(chunk, &kernel.gpu.arch);
    let address = program.instructions[branch as usize].address;
    kernel.run = execution::Code::new(chunk, &program, &[(address, 40)].into_iter().collect());
    let stated = kernel.predict(40_000).unwrap();
    assert_eq!(stated.certainty, Certainty::Settled);
}
