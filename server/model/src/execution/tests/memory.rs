//! Addresses of texels and of shared memory of other blocks, contents of memory, and waits for other blocks.

use super::Kernel;
use crate::address::WarpThreads;
use crate::execution::{AccessState, SharedWords, Warp};
use crate::{Contents, DataFile, Element, Launch, Numbers};

/// Runs one warp with a pointer in `c[0x0][0x210]`, and returns the request of each access with known addresses.
fn requests(lines: &[&str], contents: Option<Contents>) -> Vec<[u64; 32]> {
    let kernel = Kernel::new(90, lines);
    let mut launch = kernel.launch([1; 3], [32, 1, 1]);
    launch.point(0x210, "arg0".into(), contents);
    let events = kernel.run(&launch, &WarpThreads::first([32, 1, 1]));
    let known = events.into_iter().filter(|(ran, _)| ran.access == AccessState::Known);
    known.map(|(_, request)| request.addresses).collect()
}

const INTEGERS: Element = Element { bytes: 4, is_float: false };

/// Each lane loads a number from global memory, and uses it as an address in shared memory.
const GATHER: [&str; 6] = [
    "S2R R0, SR_TID.X",
    "ULDC.64 UR4, c[0x0][0x210]",
    "IMAD.WIDE R2, R0, 0x4, UR4",
    "LDG.E R4, desc[UR6][R2.64]",
    "LDS R5, [R4]",
    "EXIT",
];

#[test]
fn a_load_returns_what_the_launch_states() {
    assert_eq!(requests(&GATHER, None).len(), 1, "the index is not known");
    let held = Contents::Generated { element: INTEGERS, numbers: Numbers::Permutation { count: 32 } };
    let mut read = requests(&GATHER, Some(held))[1].to_vec();
    assert!(!read.is_sorted());
    read.sort_unstable();
    assert_eq!(read, (0..32).collect::<Vec<u64>>());
}

#[test]
fn a_warp_loads_what_another_warp_stored() {
    let kernel = Kernel::new(
        90,
        &[
            "S2R R0, SR_TID.X",
            "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT",
            "MOV R2, 0x80000",
            "@!P0 STS [0x40], R2",
            "LDS.U8 R3, [0x42]",
            "LDS R4, [R3]",
            "LDS R5, [R4]",
            "ATOMS.ADD RZ, [0x40], R2",
            "LDS R3, [0x40]",
            "LDS R4, [R3]",
            "EXIT",
        ],
    );
    let launch = kernel.launch([1; 3], [64, 1, 1]);
    let code = kernel.code(&launch);
    let words = SharedWords::default();
    let known = |warp: u32, words: &SharedWords| {
        let place = WarpThreads { warp, ..WarpThreads::first([64, 1, 1]) };
        let mut warp = Warp::new(&code, &launch, &place).sharing(words);
        let mut known = Vec::new();
        while let Some(ran) = warp.step(&code) {
            if ran.access == AccessState::Known {
                known.push((ran.inst, warp.request().addresses[0]));
            }
        }
        known
    };
    let atomic = [(7, 0x40), (8, 0x40)];
    assert_eq!(known(1, &words), [&[(4, 0x42)], &atomic[..]].concat(), "nothing is stored yet");
    assert_eq!(known(0, &words), [&[(3, 0x40), (4, 0x42), (5, 8)], &atomic[..]].concat());
    assert_eq!(known(1, &words), [&[(4, 0x42)], &atomic[..]].concat(), "the atomic has changed the word");
}

#[test]
fn a_copy_to_shared_memory_keeps_what_the_launch_states() {
    let lines = [
        "S2R R0, SR_TID.X",
        "ULDC.64 UR4, c[0x0][0x210]",
        "IMAD.WIDE R2, R0, 0x4, UR4",
        "SHF.L.U32 R6, R0, 0x2, RZ",
        "LDGSTS.E [R6+0x800], desc[UR6][R2.64]",
        "LDS R4, [R6+0x800]",
        "LDS R5, [R4]",
        "EXIT",
    ];
    let held = Contents::Generated { element: INTEGERS, numbers: Numbers::Permutation { count: 32 } };
    let mut read = requests(&lines, Some(held)).pop().expect("the last load").to_vec();
    read.sort_unstable();
    assert_eq!(read, (0..32).collect::<Vec<u64>>());
    assert_eq!(requests(&lines, None).len(), 2, "the address of the last load is not known");
}

#[test]
fn a_load_after_the_end_of_a_file_is_unknown() {
    let held = |count: u32| {
        let bytes: Vec<u8> = (0..count).flat_map(|number| (4 * (number ^ 5)).to_le_bytes()).collect();
        Contents::Stored { elements: 0..bytes.len(), file: DataFile::new(bytes) }
    };
    let read = requests(&GATHER, Some(held(32)))[1];
    assert_eq!(read.to_vec(), (0..32).map(|lane| 4 * (lane ^ 5)).collect::<Vec<u64>>());
    assert_eq!(requests(&GATHER, Some(held(31))).len(), 1, "the last lane's index is not known");
}

#[test]
fn addresses_at_the_end_of_shared_memory_wrap() {
    let lines = [
        "MOV R2, 0xfffffff8",
        "STS.128 [R2], R4",
        "LDS.128 R4, [R2]",
        "ATOMS.ADD.64 RZ, [R2+0x4], R4",
        "LDS R3, [R4]",
        "EXIT",
    ];
    assert_eq!(requests(&lines, None)[0][0], 0xffff_fff8);
}

#[test]
fn parts_of_a_word_are_extended() {
    let load = |opcode: &str| {
        let lines = [
            "S2R R0, SR_TID.X",
            "ULDC.64 UR4, c[0x0][0x210]",
            "IADD3 R2, P0, R0, UR4, RZ",
            "IADD3.X R3, RZ, UR5, RZ, P0, !PT",
            &format!("{opcode} R4, desc[UR6][R2.64]"),
            "LDS R5, [R4]",
            "EXIT",
        ];
        let element = Element { bytes: 1, is_float: false };
        let held = Contents::Generated { element, numbers: Numbers::Constant(254.0) };
        requests(&lines, Some(held))[1][3]
    };
    assert_eq!((load("LDG.E.U8"), load("LDG.E.S8")), (254, 0xffff_fffe));
}

#[test]
fn a_row_of_texels_lies_in_halves_of_sectors() {
    let fetch = |y: &str| {
        let lines = [
            "S2R R0, SR_TID.X",
            "I2FP.F32.S32 R2, R0",
            "FADD R2, R2, 0.5",
            &format!("MOV R3, {y}"),
            "TEX.LL RZ, R4, R2, RZ, UR4, 0x0, 2D, 0x1",
            "EXIT",
        ];
        requests(&lines, None)
    };
    let sectors = |row: &[u64; 32]| {
        let mut sectors: Vec<u64> = row.iter().map(|address| address / 32).collect();
        sectors.dedup();
        sectors
    };
    let (first, second) = (fetch("0x3f000000"), fetch("0x3fc00000"));
    assert_eq!(sectors(&first[0]).len(), 8, "a row of 128 bytes is in 8 sectors");
    assert_eq!(sectors(&first[0]), sectors(&second[0]), "with the row below");
    assert_ne!(first[0], second[0]);
    assert!(fetch("0x41100000")[0].iter().all(|address| !first[0].contains(address)), "8 rows are a block");
}

#[test]
fn coordinates_that_may_be_shares_of_the_size_are_unknown() {
    let lines =
        ["MOV R2, 0x3e000000", "MOV R3, 0x3f000000", "TEX.LL RZ, R4, R2, RZ, UR4, 0x0, 2D, 0x1", "EXIT"];
    assert!(requests(&lines, None).is_empty());
}

#[test]
fn a_linear_texture_and_a_surface_are_addressed_by_integers() {
    let linear = ["S2R R2, SR_TID.X", "TLD.LZ RZ, R4, R2, UR4, 0x0, 1D, 0x1", "EXIT"];
    let linear = requests(&linear, None)[0];
    assert_eq!(linear[31] - linear[0], 124);
    let surface = [
        "S2R R2, SR_TID.X",
        "IMAD.SHL.U32 R2, R2, 0x4, RZ",
        "MOV R3, 0x5",
        "SUST.D.BA.2D.STRONG.SM.TRAP [R2], R6, UR4, 0x0",
        "SULD.D.BA.2D.STRONG.SM.TRAP R8, [R2], UR4, 0x0",
        "EXIT",
    ];
    let [store, load] = requests(&surface, None)[..] else { panic!("two accesses") };
    assert_eq!(store, load);
    assert_eq!(store[3] - store[0], 12);
}

#[test]
fn the_window_of_shared_memory_is_known() {
    let kernel =
        Kernel::new(90, &["S2R R3, SR_SWINHI", "MOV R2, 0x1000400", "LD.E R4, desc[UR4][R2.64]", "EXIT"]);
    let mut launch = kernel.launch([2, 1, 1], [32, 1, 1]);
    launch.cluster = [2, 1, 1];
    let code = kernel.code(&launch);
    let place = WarpThreads { ctaid: [1, 0, 0], ..WarpThreads::first([32, 1, 1]) };
    let mut warp = Warp::new(&code, &launch, &place);
    assert_eq!(warp.rank(), 1);
    while warp.step(&code).is_some_and(|ran| ran.access == AccessState::Nothing) {}
    assert_eq!(warp.request().addresses[0], u64::from(Launch::SHARED_WINDOW) << 32 | 0x0100_0400);
}

#[test]
fn a_loop_that_waits_for_another_block_ends_after_the_second_read() {
    let wait = |inside: &str| {
        let lines = [
            "ULDC.64 UR4, c[0x0][0x210]",
            "MOV R2, UR4",
            "MOV R3, UR5",
            "again:",
            "LD.E.STRONG.GPU R4, desc[UR6][R2.64]",
            inside,
            "ISETP.EQ.AND P0, PT, R4, RZ, PT",
            "@P0 BRA `(again)",
            "EXIT",
        ];
        let kernel = Kernel::new(90, &lines.map(|line| line.replace('`', "")));
        let mut launch = kernel.launch([1; 3], [32, 1, 1]);
        launch.point(0x210, "arg0".into(), None);
        let events = kernel.run(&launch, &WarpThreads::first([32, 1, 1]));
        let reads = events.iter().filter(|(ran, _)| ran.inst == 3).count();
        (reads, events.iter().any(|(ran, _)| ran.is_guessed))
    };
    assert_eq!(wait("CCTL.IVALL"), (2, false));
    let with_store = wait("STG.E desc[UR6][R2.64], R4");
    assert!(with_store.0 > 2 && with_store.1, "a loop that stores has work to do: {with_store:?}");
}
