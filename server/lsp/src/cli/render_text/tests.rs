//! Text listings of handwritten reports.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use super::*;
use expect_test::expect;
use ide::report::{BottleneckReport, ControlReport, LiveReport, MemoryReport, OccupancyReport, Resources};

pub(in super::super) fn instruction(
    address: u32,
    text: &str,
    latency: Option<(u32, &'static str)>,
    issue: u32,
) -> InstructionReport {
    let opcode = text.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default();
    InstructionReport {
        address,
        address_printed: true,
        line: 12 + address / 16,
        text: text.to_owned(),
        opcode: opcode.to_owned(),
        pipe: latency.map(|_| "ALU".to_owned()),
        control: None,
        efficiency: Some(1.0),
        latency: latency.map(|(cycles, kind)| LatencyReport { cycles, kind, source: "vendor".into() }),
        issue_cycle: Some(issue),
        starts_block: None,
        stall: None,
        depends_on: vec![],
        executed: None,
        lanes: None,
        memory: None,
        live: Some(LiveReport::default()),
        sass: None,
    }
}

pub(in super::super) fn control(stall: u8) -> ControlReport {
    ControlReport {
        stall: Some(stall),
        yields: false,
        write_barrier: None,
        read_barrier: None,
        wait: vec![],
        reuse: vec![],
        dual: false,
        kepler: None,
    }
}

pub(in super::super) fn kernel(name: &str, instructions: Vec<InstructionReport>) -> KernelReport {
    KernelReport {
        name: name.to_owned(),
        demangled: None,
        launch: None,
        arch: "sm_90".into(),
        resources: Resources {
            registers: 128,
            registers_source: "listing",
            shared: 8192,
            shared_unknown: false,
            shared_source: "listing",
            stack: None,
            spill_stores: 0,
            spill_loads: 0,
            grid: [264, 1, 1],
            block: [256, 1, 1],
            launch_assumed: true,
        },
        occupancy: OccupancyReport {
            active_blocks: 2,
            active_warps: 16,
            max_warps: 64,
            fraction: 0.25,
            limiter: "registers".into(),
        },
        cycles: Some(1_234_567.4),
        low: None,
        high: None,
        not_timed: None,
        endless_wait: None,
        cycles_in_words: "~1 235 000 cycles".into(),
        quick: false,
        to_state: None,
        sp_efficiency: Some(0.861),
        ipc: Some(6.1),
        bottlenecks: BottleneckReport { ilp: Some(0.12), comp: Some(0.5), mem: Some(1.0), pipe: None },
        advice: None,
        max_live: LiveReport::default(),
        cycles_model: "paper",
        stalls: None,
        metrics: None,
        notes: vec!["No launch is named; one full wave of the largest block is assumed.".into()],
        is_left_out: false,
        instruction_count: instructions.len(),
        instructions,
        lines: None,
    }
}

pub(in super::super) fn report(kernels: Vec<KernelReport>) -> Report {
    Report { schema: 1, gpu: "H100 SXM5 80 GB".into(), model: "paper".into(), kernels }
}

fn written(report: &Report, palette: &Palette) -> String {
    let mut out = Vec::new();
    let mut listing = Listing::new(report, palette);
    for kernel in &report.kernels {
        listing.kernel(&mut out, kernel).unwrap();
    }
    listing.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn plain(report: &Report) -> String {
    written(report, &Palette::PLAIN)
}

/// The table from the line with the column titles on.
fn table(kernels: Vec<KernelReport>) -> String {
    let text = plain(&report(kernels));
    let start = text.lines().position(|line| line.contains("instruction")).unwrap();
    text.lines().skip(start).flat_map(|line| [line, "\n"]).collect()
}

pub(in super::super) fn hopper() -> KernelReport {
    let mut load = instruction(0x10, "@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10]", Some((478, "variable")), 5);
    load.control =
        Some(ControlReport { write_barrier: Some(2), read_barrier: Some(0), yields: true, ..control(4) });
    load.memory = Some(MemoryReport {
        space: "global",
        bytes_per_lane: 16,
        wavefronts: None,
        wavefronts_ideal: None,
        sectors: None,
        sectors_ideal: None,
        known: Some(false),
        executed: None,
    });
    let mut add = instruction(0x20, "IADD3 R4, R4, R5.reuse, RZ", Some((4, "fixed")), 9);
    add.control = Some(ControlReport { wait: vec![0, 2], ..control(12) });
    let mut unknown = instruction(0x30, "FROB R1", None, 0);
    unknown.control = Some(ControlReport { stall: None, ..control(0) });
    let mut first = instruction(0, "MOV R1, c[0x0][0x28]", Some((5, "fixed")), 0);
    first.control = Some(control(5));
    if let Some(latency) = &mut first.latency {
        latency.source = "guess".into();
    }
    kernel("_Z8sgemm_nnPKfS0_Pfi", vec![first, load, add, unknown])
}

#[test]
fn a_kernel_with_control_codes() {
    expect![[r#"
        sgemm_nn(float const*, float const*, float*, int)  _Z8sgemm_nnPKfS0_Pfi
          target      sm_90, timed for H100 SXM5 80 GB by the paper model
          launch      grid 264 x 1 x 1, block 256 x 1 x 1 (assumed)
          resources   128 registers per thread (listing), 8,192 bytes of shared memory per block (listing)
          occupancy   25.0 %: 16 of 64 warps per SM, 2 blocks; limited by registers
          cycles      1,234,567 for the assumed launch, SP efficiency 86.1 %, IPC 6.10
          bottlenecks ilp  █▎········ 0.12  unused parallelism within a warp
                      comp █████····· 0.50  idle arithmetic units
                      mem  ██████████ 1.00  unused load/store bandwidth
                      pipe ··········    ?  latency that is not hidden

        control: B scoreboards waited on, R and W scoreboard set on read and write, Y yield, S cycles until the next issue
        latency: cycles until the result can be used; ~ if it varies or is estimated
        issue:   predicted cycle, for a single warp, from the start of the basic block; ┐┘ dual issue

        line  address  control              pipe  latency  issue  instruction
          12     0000  B------:R-:W-:-:S05  ALU        ~5      0  MOV R1, c[0x0][0x28]
          13     0010  B------:R0:W2:Y:S04  ALU      ~478      5  @!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10]
          14     0020  B0-2---:R-:W-:-:S12  ALU         4      9  IADD3 R4, R4, R5.reuse, RZ

          15     0030  B------:R-:W-:-:S--                     0  FROB R1

        Notes
        - No launch is named; one full wave of the largest block is assumed.
    "#]].assert_eq(&plain(&report(vec![hopper()])));
}

#[test]
fn without_control_codes_and_pipes_there_are_no_such_columns() {
    let mut bare = instruction(0, "MOV R1, R2", None, 0);
    bare.pipe = None;
    expect![[r#"
        line  address  issue  instruction
          12     0000      0  MOV R1, R2

        Notes
        - No launch is named; one full wave of the largest block is assumed.
    "#]]
    .assert_eq(&table(vec![kernel("f", vec![bare])]));
}

#[test]
fn pairs_are_joined() {
    let mut first = instruction(8, "FFMA R0, R1, R2, R0", Some((9, "fixed")), 0);
    first.control = Some(ControlReport { dual: true, ..control(0) });
    let mut second = instruction(0x10, "LDS.64 R4, [R8]", Some((33, "variable")), 0);
    second.control = Some(control(1));
    let mut alone = instruction(0x18, "EXIT", None, 1);
    alone.control = Some(control(15));
    expect![[r#"
        line  address  control              pipe  latency  issue     instruction
          12     0008  B------:R-:W-:-:S00  ALU         9      0  ┐  FFMA R0, R1, R2, R0
          13     0010  B------:R-:W-:-:S01  ALU       ~33      0  ┘  LDS.64 R4, [R8]
          13     0018  B------:R-:W-:-:S15                     1     EXIT

        Notes
        - No launch is named; one full wave of the largest block is assumed.
    "#]]
    .assert_eq(&table(vec![kernel("f", vec![first, second, alone])]));
}

#[test]
fn a_gap_precedes_a_block_but_does_not_split_a_pair() {
    let mut first = instruction(0, "IMAD R0, R1, R2, R0", None, 39);
    first.control = Some(ControlReport { dual: true, ..control(4) });
    let second = instruction(0x10, "BRA 0x40", None, 31);
    let next = instruction(0x20, "MOV R1, R2", None, 0);
    let text = table(vec![kernel("f", vec![first, second, next])]);
    let gaps =
        text.lines().take_while(|line| *line != "Notes").enumerate().filter(|(_, line)| line.is_empty());
    assert_eq!(gaps.map(|(index, _)| index).collect::<Vec<_>>(), [3, 5], "{text}");
}

#[test]
fn wide_and_long_text_stays_aligned() {
    let long = format!("HMMA.16816.F32 {}", "R24, ".repeat(40));
    let mut far = instruction(0x000f_fff0, &long, Some((33, "fixed")), 1_000_000);
    far.pipe = Some("TENSOR".into());
    let near = instruction(0, "BRA `(.L_x_全角)", Some((5, "variable")), 0);
    expect![[r#"
         line  address  pipe    latency    issue  instruction
           12     0000  ALU          ~5        0  BRA `(.L_x_全角)
        65547    ffff0  TENSOR       33  1000000  HMMA.16816.F32 R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24, R24,

        Notes
        - No launch is named; one full wave of the largest block is assumed.
    "#]].assert_eq(&table(vec![kernel("f", vec![near, far])]));
}

#[test]
fn colour_is_only_colour() {
    let report = report(vec![hopper()]);
    let coloured = written(&report, &Palette::COLOURED);
    expect!["  ESC[2m13ESC[0m     ESC[2m0010ESC[0m  ESC[2mB------:ESC[0mESC[33mR0ESC[0mESC[2m:ESC[0mESC[33mW2ESC[0mESC[2m:ESC[0mESC[33mYESC[0mESC[2m:ESC[0mS04  ALU      ESC[33m~478ESC[0m      5  ESC[2m@!P0 ESC[0mESC[35mLDG.E.128ESC[0m R4, desc[UR4][R2.64+0x10]"].assert_eq(&coloured.lines().find(|line| line.contains("LDG")).unwrap().replace('\u{1b}', "ESC"));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain(&report));
}

#[test]
fn no_line_ends_in_blanks() {
    for line in plain(&report(vec![hopper(), kernel("f", vec![instruction(0, "NOP", None, 0)])])).lines() {
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn text_of_a_listing_cannot_command_the_terminal() {
    let evil = "MOV\tR1,\u{1b}[2J R2";
    let text = plain(&report(vec![kernel("f\u{1b}]0;x\u{7}", vec![instruction(0, evil, None, 0)])]));
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
}

#[test]
fn several_kernels_share_legend_and_notes() {
    let mut named = kernel("f", vec![instruction(0, "NOP", None, 0)]);
    named.launch = Some("gemm-2048".into());
    named.resources.launch_assumed = false;
    named.cycles = None;
    named.notes.push("The trip count of 0x40 is unknown.".into());
    let text = plain(&report(vec![hopper(), named]));
    assert_eq!(text.matches("latency: cycles until").count(), 1);
    assert_eq!(text.matches("one full wave").count(), 1);
    assert!(text.ends_with("- The trip count of 0x40 is unknown. (f)\n"));
    assert!(text.contains("gemm-2048: grid 264 x 1 x 1, block 256 x 1 x 1\n"));
    assert!(text.contains("cycles      unknown, SP efficiency"));
}

#[test]
fn no_address_is_invented() {
    let mut bare = instruction(0x18, "MOV R1, R2", None, 0);
    bare.address_printed = false;
    expect![[r#"
        line  issue  instruction
          13      0  MOV R1, R2

        Notes
        - No launch is named; one full wave of the largest block is assumed.
    "#]]
    .assert_eq(&table(vec![kernel("f", vec![bare])]));
}

#[test]
fn keplers_codes_stand_as_kepleras_writes_them() {
    let mut pair = instruction(8, "FFMA R0, R1, R2, R0", Some((9, "fixed")), 0);
    pair.control = Some(ControlReport { dual: true, kepler: Some("-:-:D:-:04".into()), ..control(4) });
    let mut second = instruction(0x10, "LDS.64 R4, [R8]", None, 0);
    second.control = Some(ControlReport { kepler: Some("-:G:-:S:01".into()), ..control(1) });
    let report = report(vec![kernel("f", vec![pair, second])]);
    let text = plain(&report);
    let legend = text.lines().position(|line| line.starts_with("control:")).unwrap();
    expect![[r#"
        control: waits for T texture, G global and S shared memory, D dual issue possible, cycles until the next issue (as KeplerAs writes it)
        latency: cycles until the result can be used; ~ if it varies or is estimated
        issue:   predicted cycle, for a single warp, from the start of the basic block; ┐┘ dual issue

        line  address  control     pipe  latency  issue     instruction
          12     0008  -:-:D:-:04  ALU         9      0  ┐  FFMA R0, R1, R2, R0
    "#]]
        .assert_eq(&text.lines().skip(legend).take(6).flat_map(|line| [line, "\n"]).collect::<String>());
}

#[test]
fn rates_without_trips_say_what_they_count() {
    let mut open = kernel("f", vec![instruction(0, "NOP", None, 0)]);
    open.cycles = None;
    let text = plain(&report(vec![open.clone()]));
    let line = text.lines().find(|line| line.contains("cycles   ")).unwrap();
    expect![
        "  cycles      unknown, SP efficiency 86.1 %, IPC 6.10, each loop with an unknown count counted once"
    ]
    .assert_eq(line);
    (open.sp_efficiency, open.ipc) = (None, None);
    assert!(plain(&report(vec![open])).contains("  cycles      unknown\n"));
}
