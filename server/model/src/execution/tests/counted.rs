//! Warps that follow measured counts.

use super::Kernel;
use crate::execution::{Code, SampleLimits, Survey};
use crate::{InstructionCounts, Launch, MeasuredCounts};

const EFFORT: SampleLimits = SampleLimits { warps: 512, instructions: 1 << 22 };

const BLOCKS: u32 = 512;

/// Returns the counts of a launch from the executions, lanes and active lanes of each instruction per warp.
fn counts(of_a_warp: &[(f64, f64, f64)]) -> MeasuredCounts {
    let warps = f64::from(BLOCKS);
    let counted = |&(executed, lanes, on): &(f64, f64, f64)| InstructionCounts {
        executed: Some(executed * warps),
        lanes: Some(lanes * warps),
        on: Some(on * warps),
        ..InstructionCounts::default()
    };
    MeasuredCounts { instructions: of_a_warp.iter().map(counted).collect(), warps: Some(warps) }
}

fn survey(kernel: &Kernel, launch: &Launch, measured: &MeasuredCounts) -> Survey {
    let code = kernel.code(launch);
    let derived = Survey::run(&code, &kernel.gpu.arch, launch, EFFORT);
    let led: Code = code.counted(measured, &derived, launch);
    Survey::run(&led, &kernel.gpu.arch, launch, EFFORT)
}

#[track_caller]
fn assert_counts(survey: &Survey, measured: &MeasuredCounts) {
    for (at, (counts, counted)) in survey.counts.iter().zip(&measured.instructions).enumerate() {
        let warps = measured.warps.unwrap();
        let (executed, lanes) = (counted.executed.unwrap() / warps, counted.lanes.unwrap() / warps);
        assert!((counts.executed - executed).abs() <= 0.03 * executed, "{at}: {counts:?}, {executed}");
        assert!(
            (counts.present * counts.executed - lanes).abs() <= 0.06 * lanes,
            "{at}: {counts:?}, {lanes}"
        );
    }
    assert!(survey.guessed_trips.is_empty());
}

fn loop_that_data_ends() -> Kernel {
    Kernel::new(
        90,
        &[
            "LDG.E R0, desc[UR4][R2.64]",
            "loop:",
            "IADD3 R0, R0, -0x1, RZ",
            "ISETP.NE.AND P0, PT, R0, RZ, PT",
            "@P0 BRA (loop)",
            "EXIT",
        ],
    )
}

#[test]
fn a_loop_that_data_ends_has_the_trips_that_were_counted() {
    let kernel = loop_that_data_ends();
    let launch = kernel.launch([BLOCKS, 1, 1], [32, 1, 1]);
    let once = (1.0, 32.0, 32.0);
    let often = (7.5, 240.0, 240.0);
    let measured = counts(&[once, often, often, (7.5, 240.0, 208.0), once]);
    assert_counts(&survey(&kernel, &launch, &measured), &measured);
}

#[test]
fn lanes_part_where_they_were_seen_to() {
    let kernel = Kernel::new(
        90,
        &[
            "LDG.E R0, desc[UR4][R2.64]",
            "ISETP.NE.AND P0, PT, R0, RZ, PT",
            "BSSY B0, (join)",
            "@P0 BRA (join)",
            "FADD R1, R1, R1",
            "join:",
            "BSYNC B0",
            "EXIT",
        ],
    );
    let launch = kernel.launch([BLOCKS, 1, 1], [32, 1, 1]);
    let once = (1.0, 32.0, 32.0);
    // A tenth of the warps jumps as a whole, three tenths stay, and the others split in halves.
    let measured = counts(&[once, once, once, (1.0, 32.0, 12.8), (0.9, 19.2, 19.2), (1.6, 32.0, 32.0), once]);
    assert_counts(&survey(&kernel, &launch, &measured), &measured);
}

/// The code implies a different trip count than the measured counts, which take precedence.
#[test]
fn counts_go_before_what_the_code_says() {
    let kernel = Kernel::new(
        90,
        &[
            "MOV R0, 0x4",
            "loop:",
            "IADD3 R0, R0, -0x1, RZ",
            "ISETP.NE.AND P0, PT, R0, RZ, PT",
            "@P0 BRA (loop)",
            "EXIT",
        ],
    );
    let launch = kernel.launch([BLOCKS, 1, 1], [32, 1, 1]);
    let once = (1.0, 32.0, 32.0);
    let often = (9.0, 288.0, 288.0);
    let measured = counts(&[once, often, often, (9.0, 288.0, 256.0), once]);
    assert_counts(&survey(&kernel, &launch, &measured), &measured);
}

#[test]
fn uncounted_instructions_are_guessed() {
    let kernel = loop_that_data_ends();
    let launch = kernel.launch([BLOCKS, 1, 1], [32, 1, 1]);
    let survey = survey(&kernel, &launch, &MeasuredCounts::default());
    assert_eq!(survey.guessed_trips.iter().copied().collect::<Vec<_>>(), [3]);
}
