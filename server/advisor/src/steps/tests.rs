//! Tests each step on a kernel that it applies to, and on similar kernels that it does not apply to.

use super::*;
use machine::Machine;
use model::launch::{DeclaredResources, Stated, StatedBy};
use model::paper::MissRatio;
use model::{Launch, Listing, Program};
use std::fmt::Write;

/// A kernel and its launch.
struct Case<'a> {
    gpu: &'a str,
    text: String,
    launch: fn(&mut Launch),
}

impl Case<'_> {
    fn ask<T>(&self, ask: impl FnOnce(&KernelAtLaunch<'_>) -> T) -> T {
        let gpu = Machine::builtin().gpu(self.gpu).expect("a known GPU");
        let listing = Listing::parse(&self.text);
        let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
        assert!(chunk.errors().is_empty(), "{:?} in {}", chunk.errors(), self.text);
        let program = Program::decode(chunk, &gpu.arch);
        let mut launch = Launch::assumed(&program, &gpu, DeclaredResources::default());
        (self.launch)(&mut launch);
        ask(&KernelAtLaunch::new(chunk, &program, &gpu, &launch, MissRatio::default(), true))
    }

    fn advice(&self) -> Advice {
        self.ask(advise)
    }

    fn step(&self, name: StepName) -> Option<Step> {
        self.advice().steps.into_iter().find(|step| step.name == name)
    }
}

/// A KeplerAs source in which each instruction has the control code for single issue.
fn kepler(lines: &[&str]) -> Case<'static> {
    let text = lines.iter().fold(String::new(), |text, line| text + "-:-:-:-:01 " + line + ";\n");
    Case { gpu: "k20m", text, launch: |_| {} }
}

/// A listing of `cuobjdump` without control codes.
fn listing(gpu: &'static str, sm: u16, lines: &[String]) -> Case<'static> {
    let bytes = if sm < 70 { 8 } else { 16 };
    let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(text, "        /*{:04x}*/                   {line} ;", index * bytes);
    }
    Case { gpu, text, launch: |_| {} }
}

fn is(value: Option<f64>, expected: f64) {
    assert!((value.expect("it is known") - expected).abs() < 0.005, "{value:?} is not {expected}");
}

const THREAD: [&str; 2] = ["S2R R0, SR_TID.X", "SHL R1, R0, 0x3"];

#[test]
fn words_side_by_side_are_one_wide_load() {
    let case =
        kepler(&[&THREAD[..], &["LDS R4, [R1]", "LDS R5, [R1+0x4]", "FADD R6, R4, R5", "EXIT"]].concat());
    let advice = case.advice();
    is(advice.before.mem, 0.5);
    let step = case.step(StepName::BankWidth).expect("the paper's own example");
    assert_eq!((step.message.as_str(), &step.instructions[..]), ("2 LDS could be 1 LDS.64", &[2, 3][..]));
    assert!(step.lowers.contains(&Bottleneck::Mem));
    is(step.after.and_then(|after| after.mem), 0.0);
    let merge = Merge { first: 2, second: 3, operands: Some(["R4".to_owned(), "[R1]".to_owned()]) };
    assert_eq!(step.change, Change::Merges(vec![merge]));
    // The paper's causes: both loads, in equal parts.
    let mem =
        advice.found.iter().find(|found| found.bottleneck == Bottleneck::Mem).expect("it is significant");
    assert_eq!(mem.causes.iter().map(|cause| cause.inst).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn the_upper_word_may_come_first_and_the_operands_are_the_lower_ones() {
    let lines = ["LDS R5, [R1+0xc]", "FADD R9, R8, R8", "@!P0 LDS R7, [R1]", "LDS R4, [R1+0x8]", "EXIT"];
    let found = kepler(&[&THREAD[..], &lines].concat()).ask(merges);
    let operands = Some(["R4".to_owned(), "[R1+0x8]".to_owned()]);
    assert_eq!(found, [Merge { first: 2, second: 5, operands }]);
}

#[test]
fn registers_apart_are_said_and_not_written() {
    let case = kepler(&[&THREAD[..], &["LDS R5, [R1]", "LDS R6, [R1+0x4]", "EXIT"]].concat());
    let step = case.step(StepName::BankWidth).expect("they could be one");
    assert_eq!(step.message, "2 LDS could be 1 LDS.64, once their results are aligned register pairs");
    assert!(matches!(&step.change, Change::Merges(all) if all[0].operands.is_none()));
}

#[test]
fn instructions_in_between_keep_loads_apart() {
    let stays: &[&[&str]] = &[
        // The words are not adjacent or not aligned to both, or have different bases.
        &["LDS R4, [R1]", "LDS R5, [R1+0x8]"],
        &["LDS R4, [R1+0x4]", "LDS R5, [R1+0x8]"],
        &["LDS R4, [R1]", "LDS R5, [R2+0x4]"],
        &["LDS R4, [R0]", "LDS R5, [R0+0x4]"],
        &["LDS R4, [R9]", "LDS R5, [R9+0x4]"],
        // The address, the result or the guard changes.
        &["LDS R4, [R1]", "IADD R1, R1, 0x8", "LDS R5, [R1+0x4]"],
        &["LDS R1, [R1]", "LDS R2, [R1+0x4]"],
        &["LDS R4, [R1]", "FADD R6, R5, R5", "LDS R5, [R1+0x4]"],
        &["LDS R4, [R1]", "MOV R5, RZ", "LDS R5, [R1+0x4]"],
        &["@P0 LDS R4, [R1]", "LDS R5, [R1+0x4]"],
        &["@P0 LDS R4, [R1]", "ISETP.GE.AND P0, PT, R0, 0x4, PT", "@P0 LDS R5, [R1+0x4]"],
        // Other threads' stores.
        &["LDS R4, [R1]", "STS [R3], R8", "LDS R5, [R1+0x4]"],
        &["LDS R4, [R1]", "BAR.SYNC 0x0", "LDS R5, [R1+0x4]"],
        // Not words.
        &["LDS.U16 R4, [R1]", "LDS.U16 R5, [R1+0x4]"],
        &["LDS.64 R4, [R1]", "LDS.64 R6, [R1+0x8]"],
    ];
    for lines in stays {
        let case = kepler(&[&THREAD[..], lines, &["EXIT"]].concat());
        assert_eq!(case.ask(merges), [], "{lines:?}");
        assert_eq!(case.step(StepName::BankWidth), None, "{lines:?}");
    }
}

#[test]
fn banks_of_32_bits_gain_nothing_by_width() {
    let lines =
        ["S2R R0, SR_TID.X", "IMAD.SHL.U32 R1, R0, 0x8, RZ", "LDS R4, [R1]", "LDS R5, [R1+0x4]", "EXIT"];
    let case = listing("h100-sxm", 90, &lines.map(str::to_owned));
    assert_eq!(case.ask(merges).len(), 1);
    assert_eq!(case.step(StepName::BankWidth), None);
}

fn multiply_adds(count: u32) -> Vec<String> {
    let mut lines: Vec<String> = (0..count).map(|at| format!("FFMA R{at}, R100, R101, R{at}")).collect();
    lines.push("EXIT".to_owned());
    lines
}

/// "If we single-issue FFMA, only 2/3 SPs are utilized", and a mix of pairs and single ones fills them (section 4.1.2).
#[test]
fn pairs_fill_the_lanes_of_kepler() {
    let lines = multiply_adds(96);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let step = kepler(&lines).step(StepName::DualIssue).expect("a third is idle");
    is(kepler(&lines).advice().before.comp, 1.0 / 3.0);
    assert!(step.after.and_then(|after| after.comp).is_some_and(|comp| comp < 0.1), "{step:?}");
    assert_eq!((step.lowers, step.change), (vec![Bottleneck::Comp], Change::Codes));
    assert!(step.instructions.len() > 24);
}

#[test]
fn what_is_paired_or_cannot_be_is_left() {
    // Without control codes, it is unknown which instructions issue together.
    assert_eq!(listing("k20m", 35, &multiply_adds(96)).step(StepName::DualIssue), None);
    assert_eq!(listing("h100-sxm", 90, &multiply_adds(96)).step(StepName::DualIssue), None);
    let codes = ["-:-:D:-:05", "-:-:D:-:04", "-:-:D:-:05", "-:-:D:-:04", "-:-:D:-:05", "-:-:D:-:04"];
    let paired = (0..12).flat_map(|round| {
        let lines = codes
            .into_iter()
            .zip(0..)
            .map(move |(code, at)| format!("{code} FFMA R{0}, R100, R101, R{0};\n", round * 7 + at));
        lines.chain(["T:-:-:S:00 NOP;\n".to_owned()])
    });
    let case = Case { gpu: "k20m", text: paired.collect(), launch: |_| {} };
    assert_eq!(case.step(StepName::DualIssue), None);
}

/// A source in CuAssembler's notation in which each control code waits as late as possible.
fn volta(lines: &[String]) -> Case<'static> {
    let mut text =
        "\t.headerflags\t@\"EF_CUDA_SM90 EF_CUDA_PTX_SM(EF_CUDA_SM90)\"\n.text.kernel:\n".to_owned();
    for (index, line) in lines.iter().enumerate() {
        let code = if line.contains("LDG") {
            "[B------:R-:W0:-:S02]"
        } else if line.contains("R2, R2") {
            "[B0-----:R-:W-:-:S05]"
        } else {
            "[B------:R-:W-:-:S05]"
        };
        let _ = writeln!(text, "    {code}         /*{:04x}*/                   {line} ;", index * 16);
    }
    Case { gpu: "h100-sxm", text, launch: |launch| launch.block = [32, 1, 1] }
}

#[test]
fn results_are_used_later() {
    let multiply = |at: u32| format!("FMUL R{at}, R100, R101");
    let add = |at: u32| format!("FADD R{at}, R{at}, R102");
    let exit = || ["EXIT".to_owned()];
    let at_once: Vec<String> = (0..40).flat_map(|at| [multiply(at), add(at)]).chain(exit()).collect();
    let step = volta(&at_once).step(StepName::InstructionScheduling).expect("each sum waits for its product");
    assert_eq!((&step.lowers[..], &step.change), (&[Bottleneck::Pipe][..], &Change::Order));
    is(step.after.and_then(|after| after.pipe), 0.0);
    let later: Vec<String> = (0..40).map(multiply).chain((0..40).map(add)).chain(exit()).collect();
    assert_eq!(volta(&later).step(StepName::InstructionScheduling), None);
}

/// The order does not change the critical path, which contains a load that misses the caches. Only the simulation
/// shows the gain: independent instructions issue during the wait for the load.
#[test]
fn work_moves_into_the_wait_for_a_load() {
    let load = "LDG.E R2, desc[UR4][R4.64]".to_owned();
    let waits = "FADD R3, R2, R2".to_owned();
    let work = || (0..200).map(|at| format!("FADD R{0}, R30, R{0}", 10 + at % 16));
    let late: Vec<String> =
        [load.clone(), waits.clone()].into_iter().chain(work()).chain(["EXIT".to_owned()]).collect();
    let step = volta(&late).step(StepName::InstructionScheduling).expect("the load's result can wait");
    assert_eq!((&step.lowers[..], &step.change), (&[][..], &Change::Order));
    assert!(step.message.contains("cycles for one pass of one warp"), "{}", step.message);
    let early: Vec<String> = [load].into_iter().chain(work()).chain([waits, "EXIT".to_owned()]).collect();
    assert_eq!(volta(&early).step(StepName::InstructionScheduling), None);
}

/// A load through the second parameter and a store through the first.
fn global(load: &str, store: &str) -> Vec<String> {
    let lines = [
        "MOV R4, c[0x0][0x140]",
        "MOV R5, c[0x0][0x144]",
        "MOV R6, c[0x0][0x148]",
        "MOV R7, c[0x0][0x14c]",
        load,
        "FADD R1, R0, R0",
        store,
        "EXIT",
    ];
    lines.map(str::to_owned).to_vec()
}

#[test]
fn what_is_only_read_may_go_through_the_read_only_cache() {
    let store = "ST.E [R4], R1";
    let step = listing("k20m", 35, &global("LD.E R0, [R6]", store)).step(StepName::ReadOnlyCache);
    let step = step.expect("no store goes there");
    assert_eq!((&step.instructions[..], step.after, &step.change), (&[4][..], None, &Change::Reader));
    assert!(
        step.message.contains("TEXDEPBAR") && step.message.contains("if no other pointer"),
        "{}",
        step.message
    );
    // Read and written; written through an unknown pointer; already in that cache.
    for (load, store) in
        [("LD.E R0, [R4]", store), ("LD.E R0, [R6]", "ST.E [R8], R1"), ("LDG.E R0, [R6]", store)]
    {
        assert_eq!(
            listing("k20m", 35, &global(load, store)).step(StepName::ReadOnlyCache),
            None,
            "{load} {store}"
        );
    }
}

/// A loop that accumulates the product of a row and a column of four.
fn product() -> Vec<String> {
    let mut lines: Vec<String> =
        (0..2).map(|at| format!("LDS.128 R{}, [R40+{:#x}]", 32 + 4 * at, 16 * at)).collect();
    for row in 0..4 {
        lines.extend(
            (0..4).map(|column| {
                format!("FFMA R{0}, R{1}, R{2}, R{0}", 4 * row + column, 32 + row, 36 + column)
            }),
        );
    }
    lines.push("@P0 BRA 0x0".to_owned());
    lines.push("EXIT".to_owned());
    lines
}

#[test]
fn larger_blocks_use_each_word_more_often() {
    let mut case = listing("h100-sxm", 90, &product());
    case.launch = |launch| {
        (launch.block, launch.assumed) = ([32, 1, 1], false);
        launch.registers = Stated { value: 48, by: StatedBy::Launch };
        launch.shared = Stated { value: 200 << 10, by: StatedBy::Launch };
        launch.trips = [(0x120, 100)].into();
    };
    let step = case.step(StepName::RegisterBlocking);
    let before = case.advice().before;
    let step = step.unwrap_or_else(|| panic!("{before:?}"));
    assert!(
        step.message.contains("4 x 4 results")
            && step.message.contains("(1.0 operations per byte")
            && step.message.ends_with("about 104 registers and 2 % occupancy instead of 2 %"),
        "{}",
        step.message
    );
    assert_eq!(step.instructions, [0, 1]);
    // The block is unknown; the loop contains no multiplication.
    case.launch = |launch| launch.trips = [(0x120, 100)].into();
    assert_eq!(case.step(StepName::RegisterBlocking), None);
    let mut sums = listing(
        "h100-sxm",
        90,
        &["LDS R0, [R2]", "FADD R1, R0, R1", "@P0 BRA 0x0", "EXIT"].map(str::to_owned),
    );
    sums.launch = |launch| launch.assumed = false;
    assert_eq!(sums.step(StepName::RegisterBlocking), None);
}

#[test]
fn fewer_registers_make_room_for_warps() {
    let lines = ["LDG.E R0, desc[UR4][R2.64]", "FADD R1, R0, R0", "STG.E desc[UR4][R2.64], R1", "EXIT"];
    let mut case = listing("h100-sxm", 90, &lines.map(str::to_owned));
    case.launch = |launch| {
        (launch.block, launch.assumed) = ([1024, 1, 1], false);
        launch.registers = Stated { value: 64, by: StatedBy::Launch };
    };
    let before = case.advice().before;
    let step = case.step(StepName::RegisterReuse);
    // If a latency far exceeds the issue time of all warps, the value remains 1 with twice the warps.
    assert_eq!((before.pipe, step), (Some(1.0), None));
    let busy: Vec<String> = [lines[0].to_owned()]
        .into_iter()
        .chain((0..40).map(|at| format!("FFMA R{0}, R{0}, R{0}, R{0}", 4 + at % 8)))
        .chain(lines[1..].iter().map(|&line| line.to_owned()))
        .collect();
    let mut case = listing("h100-sxm", 90, &busy);
    case.launch = |launch| {
        (launch.block, launch.assumed) = ([1024, 1, 1], false);
        launch.registers = Stated { value: 64, by: StatedBy::Launch };
    };
    let step = case.step(StepName::RegisterReuse).expect("a dozen of 64 registers are in use");
    assert!(
        step.message.contains("of 64 registers") && step.message.contains("64 warps instead of 32"),
        "{}",
        step.message
    );
    case.launch = |launch| {
        (launch.block, launch.assumed) = ([1024, 1, 1], false);
        launch.registers = Stated { value: 32, by: StatedBy::Launch };
    };
    assert_eq!(case.step(StepName::RegisterReuse), None);
}

/// For any input, a step does not panic, and each offered step lowers a bottleneck.
#[test]
fn what_is_offered_lowers_what_it_says() {
    for gpu in ["k20m", "h100-sxm"] {
        for lines in [vec!["NONSENSE R255, [R0+]".to_owned()], vec!["LDS R0".to_owned()], product()] {
            let advice = listing(gpu, if gpu == "k20m" { 35 } else { 90 }, &lines).advice();
            for step in &advice.steps {
                let falls = |one: &Bottleneck| {
                    step.after.is_none_or(|after| one.value_in(&after) < one.value_in(&advice.before))
                };
                assert!(step.lowers.iter().all(falls), "{step:?}");
            }
        }
    }
}

#[test]
fn registers_grow_until_a_quarter_of_the_warps_is_left() {
    use model::paper::occupancy::{BlockNeeds, occupancy};
    let gpu = Machine::builtin().gpu("h100-sxm").expect("it is built in");
    let held = |registers| occupancy(&gpu.arch.resources, BlockNeeds { threads: 128, registers, shared: 0 });
    // 4 blocks of 4 of an SM's 64 warps with 128 registers per thread, 3 with 168, 2 with 255.
    let leaves_too_few = register_blocking::leaves_too_few;
    assert!(!leaves_too_few(&held(64), &held(128)));
    assert!(leaves_too_few(&held(128), &held(168)));
    assert!(leaves_too_few(&held(168), &held(255)));
    assert!(!leaves_too_few(&held(168), &held(168)));
}
