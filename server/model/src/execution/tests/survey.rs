//! Mean costs over the warps of a launch, compared with costs that are computed for each warp.

use super::Kernel;
use crate::execution::{SampleLimits, Survey};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn atomic_operations_differ_from_stores() {
    let lines = [
        ("ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R4", (true, false)),
        ("ATOMG.CAS.STRONG.GPU PT, R0, [R2], R4, R5", (true, false)),
        ("ATOMS.POPC.INC.32 RZ, [R6]", (true, false)),
        ("ATOMS.CAS R0, [R6], R4, R5", (true, false)),
        ("ATOMS.ADD R0, [R6], R4", (true, false)),
        ("REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R4", (false, true)),
        ("STG.E desc[UR4][R2.64], R4", (false, true)),
        ("LDG.E R0, desc[UR4][R2.64]", (false, false)),
    ];
    let kernel = Kernel::new(90, &lines.map(|(line, _)| line));
    let code = kernel.code(&kernel.launch([1; 3], [32, 1, 1]));
    for (inst, (line, expected)) in (0..).zip(lines) {
        let usage = code.access(inst).unwrap_or_else(|| panic!("{line} uses memory"));
        assert_eq!((usage.is_atomic, usage.is_store), expected, "{line}");
    }
}

/// The costs of atomics on one word and on adjacent words agree with the rows `broadcast` and `linear` of
/// `tests/measured/requests.csv`.
#[test]
fn lanes_that_change_one_word_go_one_after_another() {
    for (mnemonic, operands) in [("REDG", ""), ("ATOMG", "PT, R8, ")] {
        for (step, sectors) in [(0, 32.0), (4, 4.0)] {
            let lines = [
                "S2R R0, SR_TID.X".to_owned(),
                format!("IMAD.WIDE.U32 R4, R0, {step:#x}, c[0x0][{POINTER:#x}]"),
                format!("{mnemonic}.E.ADD.STRONG.GPU {operands}desc[UR4][R4.64], R6"),
                "EXIT".to_owned(),
            ];
            let kernel = Kernel::new(90, &lines);
            let mut launch = kernel.launch([1; 3], [32, 1, 1]);
            launch.point(POINTER, "arg0".into(), None);
            let survey = Survey::run(&kernel.code(&launch), &kernel.gpu.arch, &launch, EFFORT);
            let asked = &survey.uses[&2];
            assert_eq!(
                (asked.known, asked.sectors, asked.lines),
                (true, sectors, 1.0),
                "{mnemonic}, step {step}"
            );
        }
    }
}

const EFFORT: SampleLimits = SampleLimits { warps: 1 << 20, instructions: 1 << 24 };

/// Offset in constant bank 0 of a pointer's low word.
const POINTER: u32 = 0x210;
const BASE: u64 = crate::Launch::ARRAY_SPACING;

/// An address: bytes per step of threadIdx.x, threadIdx.y and blockIdx.x, and the start.
#[derive(Debug, Clone, Copy)]
struct Form {
    x: u32,
    y: u32,
    block: u32,
    from: u32,
}

fn forms() -> impl Strategy<Value = Form> {
    let factor = || prop_oneof![0..5_u32, prop::sample::select(vec![8_u32, 16, 32, 33, 64, 128, 1000])];
    (factor(), factor(), factor(), 0..200_u32).prop_map(|(x, y, block, from)| Form { x, y, block, from })
}

/// Returns each warp's addresses of the lanes below `limit`, for a launch of this shape.
fn requests(form: Form, bytes: u32, grid: u32, block: [u32; 3], limit: u32) -> Vec<Vec<u64>> {
    let threads = block[0] * block[1];
    let mut warps = Vec::new();
    for number in 0..grid {
        for warp in 0..threads.div_ceil(32) {
            let lanes = (warp * 32..(warp * 32 + 32).min(threads))
                .map(|thread| (thread % block[0], thread / block[0]));
            let on = lanes.filter(|&(x, _)| x < limit);
            let address = |(x, y)| {
                u64::from(bytes) * u64::from(form.x * x + form.y * y + form.block * number + form.from)
            };
            warps.push(on.map(address).collect());
        }
    }
    warps
}

fn means<const N: usize>(warps: &[Vec<u64>], of: impl Fn(&[u64]) -> [usize; N]) -> [f64; N] {
    let mut sums = [0; N];
    for warp in warps {
        for (sum, part) in sums.iter_mut().zip(of(warp)) {
            *sum += part;
        }
    }
    sums.map(|sum| sum as f64 / warps.len() as f64)
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_means_of_a_launch_are_those_of_its_warps(
        form in forms(),
        grid in 1..5_u32,
        block in (1..40_u32, 1..4_u32).prop_map(|(x, y)| [x, y, 1]),
        limit in 0..50_u32,
        width in 0..5_usize,
    ) {
        let bytes = 1_u32 << width;
        let (global, shared) = ([".U8", ".U16", "", ".64", ".128"][width], [".U8", ".U16", "", ".64", ".128"][width]);
        let lines = [
            "S2R R0, SR_TID.X".to_owned(),
            "S2R R1, SR_TID.Y".to_owned(),
            "S2R R2, SR_CTAID.X".to_owned(),
            format!("MOV R3, {:#x}", form.from),
            format!("IMAD R3, R0, {:#x}, R3", form.x),
            format!("IMAD R3, R1, {:#x}, R3", form.y),
            format!("IMAD R3, R2, {:#x}, R3", form.block),
            format!("ISETP.LT.AND P0, PT, R0, {limit:#x}, PT"),
            format!("IMAD.WIDE.U32 R4, R3, {bytes:#x}, c[0x0][{POINTER:#x}]"),
            format!("@P0 LDG.E{global} R8, desc[UR4][R4.64]"),
            format!("IMAD R6, R3, {bytes:#x}, RZ"),
            format!("@P0 LDS{shared} R8, [R6]"),
            "EXIT".to_owned(),
        ];
        let kernel = Kernel::new(90, &lines);
        let mut launch = kernel.launch([grid, 1, 1], block);
        launch.point(POINTER, "arg0".into(), None);
        let survey = Survey::run(&kernel.code(&launch), &kernel.gpu.arch, &launch, EFFORT);
        let warps = requests(form, bytes, grid, block, limit);
        prop_assert_eq!((survey.warps, survey.all_warps), (warps.len() as u64, warps.len() as u64));
        prop_assert!(!survey.is_cut);
        let lanes = means(&warps, |warp| [warp.len()])[0];
        let on = means(&warps, |warp| [usize::from(!warp.is_empty())])[0];
        for inst in [9, 11] {
            let used = &survey.uses[&inst];
            prop_assert!(used.known && !used.misaligned, "{:?}", used);
            prop_assert!(is_near(survey.counts[inst as usize].lanes, lanes) && is_near(used.on, on), "{:?}", used);
            prop_assert!(is_near(survey.counts[inst as usize].executed, 1.0));
        }
        let global = &survey.uses[&9];
        let distinct = |warp: &[u64], size: u64| -> usize {
            let pieces = warp.iter().flat_map(|address| (BASE + address) / size..=(BASE + address + u64::from(bytes) - 1) / size);
            pieces.collect::<BTreeSet<u64>>().len()
        };
        let [sectors, lines] = means(&warps, |warp| [distinct(warp, 32), distinct(warp, 128)]);
        prop_assert!(is_near(global.sectors, sectors) && is_near(global.lines, lines), "{} {}: {:?}", sectors, lines, global);
        let filled = |warp: &[u64]| (warp.len() * bytes as usize).div_ceil(32).min(distinct(warp, 32));
        let ideal = means(&warps, |warp| [filled(warp)])[0];
        prop_assert!(is_near(global.sectors_ideal, ideal), "{}: {:?}", ideal, global);
        if bytes <= 4 {
            // The bank with the most words determines the number of passes.
            let passes = |warp: &[u64]| {
                let words: BTreeSet<u64> = warp.iter().map(|address| address / 4).collect();
                (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap_or(0)
            };
            let wavefronts = means(&warps, |warp| [passes(warp)])[0];
            prop_assert!(is_near(survey.uses[&11].wavefronts, wavefronts), "{}: {:?}", wavefronts, survey.uses[&11]);
        }
    }
}

#[test]
fn a_sample_is_taken_of_a_launch_of_many_warps() {
    let kernel = Kernel::new(90, &["S2R R0, SR_TID.X", "LDS R1, [R0.X4]", "EXIT"]);
    let launch = kernel.launch([1000, 1, 1], [64, 1, 1]);
    let survey = Survey::run(
        &kernel.code(&launch),
        &kernel.gpu.arch,
        &launch,
        SampleLimits { warps: 10, instructions: 1000 },
    );
    assert_eq!((survey.warps, survey.all_warps), (10, 2000));
    assert!(is_near(survey.uses[&1].wavefronts, 1.0), "{:?}", survey.uses[&1]);
}

#[test]
fn long_warps_that_do_the_same_are_not_all_run() {
    let warps = |limit: &str| {
        let limit = format!("IADD3 R1, R1, {limit}, RZ");
        let kernel = Kernel::new(
            90,
            &[
                "S2R R1, SR_CTAID.X",
                &limit,
                "MOV R0, RZ",
                "again:",
                "IADD3 R0, R0, 0x1, RZ",
                "ISETP.LT.U32.AND P0, PT, R0, R1, PT",
                "@P0 BRA (again)",
                "EXIT",
            ],
        );
        let launch = kernel.launch([1000, 1, 1], [32, 1, 1]);
        let effort = SampleLimits { warps: 12, ..EFFORT };
        Survey::run(&kernel.code(&launch), &kernel.gpu.arch, &launch, effort).warps
    };
    // Each block has its own trip count. Short ones all run, as do those of which no two are equal.
    assert_eq!((warps("0x4"), warps("0x8000")), (12, 12));
    let similar = Kernel::new(
        90,
        &[
            "MOV R0, RZ",
            "again:",
            "IADD3 R0, R0, 0x1, RZ",
            "ISETP.LT.U32.AND P0, PT, R0, 0x8000, PT",
            "@P0 BRA (again)",
            "EXIT",
        ],
    );
    let launch = similar.launch([1000, 1, 1], [32, 1, 1]);
    let effort = SampleLimits { warps: 12, ..EFFORT };
    let survey = Survey::run(&similar.code(&launch), &similar.gpu.arch, &launch, effort);
    assert_eq!((survey.warps, survey.is_cut), (3, false));
    assert!(is_near(survey.counts[1].executed, f64::from(0x8000)), "{:?}", survey.counts);
}

#[test]
fn misaligned_addresses_are_reported() {
    let kernel = Kernel::new(90, &["S2R R0, SR_TID.X", "IMAD R1, R0, 0x4, RZ", "LDS.64 R4, [R1]", "EXIT"]);
    let launch = kernel.launch([1; 3], [32, 1, 1]);
    let survey = Survey::run(&kernel.code(&launch), &kernel.gpu.arch, &launch, EFFORT);
    let used = &survey.uses[&2];
    assert!(used.misaligned && !used.known && used.worst.is_some(), "{used:?}");
}

#[test]
fn what_memory_decides_is_not_known() {
    let kernel = Kernel::new(90, &["LDS R1, [RZ]", "LDS R2, [R1]", "EXIT"]);
    let launch = kernel.launch([1; 3], [32, 1, 1]);
    let survey = Survey::run(&kernel.code(&launch), &kernel.gpu.arch, &launch, EFFORT);
    assert_eq!((survey.uses[&0].known, survey.uses[&1].known), (true, false));
}
