//! The model on short kernels: the figures that the paper states, and results for later generations.

use super::*;
use crate::fixture::{decode, decode_text};
use crate::launch::DeclaredResources;
use crate::{LatencyKind, OccupancyLimiter};
use machine::Machine;

fn issue_cycles(program: &Program) -> Vec<u32> {
    code_times(program, MissRatio::default()).instructions.iter().map(|inst| inst.issue_cycle).collect()
}

/// Table 2. A store has a latency, but no result that another instruction waits for.
#[test]
fn table_2() {
    let rows = [
        ("IMAD R0, R1, R2, R3", Some(9)),
        ("IMUL R0, R1, R2", Some(9)),
        ("IADD R0, R1, R2", Some(9)),
        ("FFMA R0, R1, R2, R3", Some(9)),
        ("MUFU.RCP R0, R1", Some(9)),
        ("STS [R1], R0", None),
        ("LD.E R0, [R2]", Some(190)),
        ("LDG.E R0, [R2]", Some(190)),
    ];
    for (text, latency) in rows {
        let program = decode(35, &[text]);
        let inst = code_times(&program, MissRatio::default()).instructions[0];
        assert_eq!(inst.latency, latency, "{text}");
        let note = latency_note(&program, 0, MissRatio::default());
        assert_eq!(note.as_ref().map(|note| note.cycles), latency, "{text}");
        if let Some(note) = note {
            assert!(note.source.to_string().contains("Table 2"), "{text}: {}", note.source);
        }
    }
    let store = decode(35, &["STS [R1], R0"]);
    let class = store.instructions[0].class.expect("Kepler has the opcode");
    assert_eq!(store.arch.class(class).latency.cycles().value, 9);
}

/// Figure 2, from its text.
#[test]
fn figure_2() {
    let program = decode(35, &["MOV R9, R8", "IMUL R0, R1, R2", "IADD R3, R0, R4", "MOV R5, R6"]);
    assert_eq!(issue_cycles(&program), [0, 1, 11, 12]);
    let times = code_times(&program, MissRatio::default());
    let waits = times.depends_on(2);
    assert_eq!((waits.len(), waits[0].on, waits[0].cycles), (1, 1, 1 + 9));
    assert_eq!((waits[0].register.index, waits[0].latency_kind), (0, LatencyKind::Fixed));
    assert!(times.instructions.iter().all(|inst| inst.critical));
    // C_w, plus the last instruction's own dispatch.
    assert_eq!((times.blocks[0].cycles, times.blocks[0].latency), (13, 9));
}

#[test]
fn a_dependence_stays_in_its_block() {
    let program = decode(35, &["IMUL R0, R1, R2", "@P0 BRA 0x0", "IADD R3, R0, R4", "EXIT"]);
    assert_eq!(issue_cycles(&program), [0, 1, 0, 1]);
}

#[test]
fn two_halves_of_a_vector_are_one_dependence() {
    let program = decode(35, &["LDS.64 R2, [R0]", "FADD R4, R2, R3"]);
    let times = code_times(&program, MissRatio::default());
    assert_eq!(times.depends_on(1).len(), 1);
    assert_eq!(times.depends_on(1)[0].latency_kind, LatencyKind::Variable);
}

#[test]
fn a_miss_ratio_shortens_a_global_load() {
    let program = decode(90, &["LDG.E R0, desc[UR4][R2.64]", "FADD R1, R0, R0"]);
    let latency =
        |ratio| code_times(&program, MissRatio::new(ratio)).instructions[0].latency.expect("it loads");
    let memory = &program.arch.memory;
    assert_eq!([latency(1.0), latency(0.0)], [memory.dram.value, memory.l1_hit.value]);
    let half = latency(0.5);
    assert!(half > memory.l1_hit.value && half < memory.dram.value);
    let note = latency_note(&program, 0, MissRatio::new(0.5)).expect("it loads");
    assert_eq!(note.cycles, half);
    assert!(note.source.to_string().contains("miss ratio of 0.5"), "{}", note.source);
    assert_eq!(latency_note(&program, 0, MissRatio::default()).unwrap().source, memory.dram.source);
}

#[test]
fn efficiency_follows_the_units_that_a_scheduler_reaches() {
    let cases = [
        (35, "FFMA R0, R1, R2, R3", 1),
        (35, "LDS R0, [R1]", 2),
        (35, "LDS.64 R0, [R1]", 2),
        (35, "LDS.128 R0, [R4]", 4),
        (35, "LDG.E.128 R0, [R4]", 8),
        (35, "MUFU.RCP R0, R1", 2),
        (35, "NOP", 1),
        (35, "BAR.SYNC 0x0", 1),
        (90, "FFMA R0, R1, R2, R3", 1),
        (90, "LDS R0, [R1]", 4),
        (90, "LDS.64 R0, [R1]", 8),
        (90, "MUFU.RCP R0, R1", 8),
        (90, "DFMA R0, R2, R4, R6", 2),
        (89, "DFMA R0, R2, R4, R6", 64),
        (90, "FROB R0", 1),
    ];
    for (sm, text, cycles) in cases {
        let times = code_times(&decode(sm, &[text]), MissRatio::default());
        let expected = 1.0 / f64::from(cycles);
        assert!((times.instructions[0].efficiency - expected).abs() < 1e-12, "sm_{sm}: {text}");
    }
}

/// The paper's pattern for Kepler, three times over: six FFMAs and another instruction in four cycles.
fn pattern(last: &str) -> String {
    let codes = ["-:-:D:-:05", "-:-:D:-:04", "-:-:D:-:05", "-:-:D:-:04", "-:-:D:-:05", "-:-:D:-:04"];
    let mut lines = Vec::new();
    for at in 0..3 {
        for (index, code) in codes.into_iter().enumerate() {
            lines.push(format!("{code} FFMA R{0}, R100, R101, R{0};", at * 8 + index));
        }
        lines.push(format!("T:-:-:S:00 {last};"));
    }
    lines.join("\n")
}

#[test]
fn the_1_2_2_1_pattern_fills_all_lanes() {
    let program = decode_text(35, &pattern("NOP"));
    assert_eq!(issue_cycles(&program)[..8], [0, 1, 1, 2, 2, 3, 3, 4]);
    let gpu = Machine::builtin().gpu("k20m").unwrap();
    let launch =
        Launch { block: [256, 1, 1], ..Launch::assumed(&program, &gpu, DeclaredResources::default()) };
    let kernel = time(&program, &gpu, &launch, MissRatio::default()).kernel;
    let is = |value: Option<f64>, expected: f64| {
        let value = value.expect("the kernel computes");
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    };
    is(kernel.sp_efficiency, 1.0);
    is(kernel.ipc, 7.0);
    is(kernel.bottlenecks.comp, 0.0);
    is(kernel.bottlenecks.ilp, 0.0);
    assert_eq!(kernel.bottlenecks.mem, None);
}

#[test]
fn narrow_shared_loads_and_single_issue_show_as_bottlenecks() {
    let gpu = Machine::builtin().gpu("k20m").unwrap();
    let kernel = |lines: &[&str]| {
        let program = decode(35, lines);
        time(
            &program,
            &gpu,
            &Launch::assumed(&program, &gpu, DeclaredResources::default()),
            MissRatio::default(),
        )
        .kernel
    };
    let near = |value: Option<f64>, expected: f64| {
        assert!(
            (value.expect("there are such instructions") - expected).abs() < 1e-6,
            "{value:?}, not {expected}"
        );
    };
    near(kernel(&["LDS R0, [R1]"]).bottlenecks.mem, 0.5);
    near(kernel(&["LDS.64 R0, [R4]"]).bottlenecks.mem, 0.0);
    near(kernel(&["FFMA R0, R1, R2, R3"; 6]).bottlenecks.comp, 1.0 / 3.0);
    let waiting = kernel(&["FFMA R0, R1, R2, R0"; 60]);
    near(waiting.bottlenecks.pipe, 59.0 * 9.0 / (60.0 * f64::from(waiting.occupancy.active_warps) / 4.0));
}

/// All schedulers dual-issue FFMAs: "we encounter resource conflicts" (section 4.1.2).
#[test]
fn no_kernel_uses_more_lanes_than_there_are() {
    let line = |at| format!("-:-:D:-:{:02} FFMA R{at}, R100, R101, R{at};", if at % 2 == 0 { 4 } else { 5 });
    let lines = (0..20).map(line).collect::<Vec<_>>().join(
        "
",
    );
    let program = decode_text(35, &lines);
    let times = code_times(&program, MissRatio::default());
    // Ten pairs; two schedulers need 20 x 2 x 32 lanes of 96.
    assert_eq!((times.blocks[0].dispatch, times.blocks[0].cycles), (10, 14));
}

#[test]
fn a_launch_in_numbers() {
    let gpu = Machine::builtin().gpu("k20m").unwrap();
    let program = decode(35, &["FFMA R0, R1, R2, R3", "FFMA R4, R1, R2, R3", "@P0 BRA 0x0", "EXIT"]);
    let launch = Launch {
        grid: [27, 1, 1],
        block: [1024, 1, 1],
        trips: [(0x10, 100)].into(),
        ..Launch::assumed(&program, &gpu, DeclaredResources::default())
    };
    let kernel = time(&program, &gpu, &launch, MissRatio::default()).kernel;
    // 2 blocks of 32 warps on each of 13 SMs: 2 waves; 301 cycles per warp, 16 warps per scheduler.
    assert_eq!((kernel.occupancy.active_blocks, kernel.occupancy.active_warps), (2, 64));
    assert_eq!(kernel.cycles, Some(301.0 * 16.0 * 2.0));
    assert_eq!(kernel.notes, Vec::<String>::new());
    let ipc = kernel.ipc.expect("the kernel runs");
    assert!((ipc - 4.0).abs() < 1e-9, "{ipc}");
    assert!((kernel.sp_efficiency.unwrap() - 200.0 / 301.0 * 4.0 / 6.0).abs() < 1e-9);
}

#[test]
fn unknown_trips_leave_the_total_open() {
    let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
    let program = decode(90, &["FADD R0, R0, R1", "@P0 BRA 0x0", "EXIT"]);
    let kernel = time(
        &program,
        &gpu,
        &Launch::assumed(&program, &gpu, DeclaredResources::default()),
        MissRatio::default(),
    )
    .kernel;
    assert_eq!(kernel.cycles, None);
    assert!(kernel.notes[0].contains("0x0010"), "{:?}", kernel.notes);
}

#[test]
fn a_block_that_fits_nowhere_is_said_to() {
    let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
    let program = decode(90, &["FADD R0, R0, R1", "EXIT"]);
    let launch =
        Launch { block: [2048, 1, 1], ..Launch::assumed(&program, &gpu, DeclaredResources::default()) };
    let kernel = time(&program, &gpu, &launch, MissRatio::default()).kernel;
    assert_eq!((kernel.cycles, kernel.ipc), (None, None));
    assert_eq!(kernel.occupancy.limiter, OccupancyLimiter::Impossible);
    assert!(kernel.notes.iter().any(|note| note.contains("2048 threads")), "{:?}", kernel.notes);
}

#[test]
fn an_assumed_launch_is_a_full_wave_of_the_largest_block() {
    let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
    let program = decode(90, &["FADD R60, R0, R1", "EXIT"]);
    let launch = Launch::assumed(&program, &gpu, DeclaredResources::default());
    // R0 to R60, and the two that the hardware reserves.
    assert_eq!((launch.registers.value, launch.registers.by), (63, crate::launch::StatedBy::Inferred));
    assert_eq!((launch.block, launch.grid, launch.assumed), ([1024, 1, 1], [132, 1, 1], true));
    let stated = Launch::assumed(
        &program,
        &gpu,
        DeclaredResources { registers: Some(128), shared: Some(4096), block: None },
    );
    assert_eq!((stated.registers.value, stated.registers.by), (128, crate::launch::StatedBy::Listing));
    assert_eq!((stated.block, stated.shared.value), ([512, 1, 1], 4096));
}
