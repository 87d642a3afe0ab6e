//! Asynchronous operations in small kernels: groups of copies and of products, barrier objects, numbered barriers.

use super::tests::{Kernel, certainty_of};
use super::*;

/// Returns the cycles between the first and the last clock read of one block of four warps.
fn clocked(body: &str) -> u64 {
    let text = format!(
        "[B------:R-:W-:-:S04] CS2R R2, SR_CLOCKLO ;\n{body}[B------:R-:W-:-:S04] CS2R R4, SR_CLOCKLO ;\n[B------:R-:W-:-:S05] EXIT ;\n"
    );
    let kernel = Kernel::new(&text, [1; 3], [128, 1, 1]);
    let (issues, _) = kernel.issues(&kernel.of_one_sm(1), None);
    let of_first: Vec<u64> = issues.iter().filter(|issue| issue.warp == 0).map(|issue| issue.cycle).collect();
    of_first[of_first.len() - 2] - of_first[0]
}

#[test]
fn products_of_a_warpgroup_take_the_measured_time() {
    // Four products into one accumulator, and the wait for them. Source: server/lab/programs/async/h200/wgmma.csv.
    for (columns, measured) in [(64, 183), (96, 247), (128, 311), (192, 439), (256, 567)] {
        let product = format!("HGMMA.64x{columns}x16.F32 R24, gdesc[UR4], R24");
        let body = format!(
            "[B------:R-:W-:-:S01] WARPGROUP.ARRIVE ;\n{}[B------:R-:W-:-:S02] {product}, gsb0 ;\n\
             [B------:R-:W-:-:S02] WARPGROUP.DEPBAR.LE gsb0, 0x0 ;\n",
            format!("[B------:R-:W-:-:S02] {product} ;\n").repeat(3)
        );
        let cycles = clocked(&body);
        assert!(cycles.abs_diff(measured) <= 12, "{columns} columns: {cycles} cycles, measured {measured}");
    }
}

#[test]
fn a_wait_for_all_but_one_group_of_products_returns_earlier() {
    let wait = |pending: u32| {
        let group = "[B------:R-:W-:-:S02] HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0 ;\n".repeat(2);
        clocked(&format!("{group}[B------:R-:W-:-:S02] WARPGROUP.DEPBAR.LE gsb0, 0x{pending} ;\n"))
    };
    let (all, but_one) = (wait(0), wait(1));
    assert!((120..=140).contains(&(all - but_one)), "{all} and {but_one}");
}

#[test]
fn a_wait_for_copies_waits_for_their_group() {
    let copies = |waits: &str| {
        clocked(&format!(
            "[B------:R-:W-:-:S04] MOV R8, 0x100 ;\n[B------:R-:W-:-:S02] ULDC.64 UR6, c[0x0][0x210] ;\n\
             [B------:R-:W-:-:S01] LDGSTS.E.BYPASS.128 [R8], desc[UR4][UR6.64] ;\n[B------:R-:W0:-:S01] LDGDEPBAR ;\n{waits}"
        ))
    };
    let (all, none) = (
        copies("[B------:R-:W-:-:S02] DEPBAR.LE SB0, 0x0 ;\n"),
        copies("[B------:R-:W-:-:S02] DEPBAR.LE SB0, 0x1 ;\n"),
    );
    assert!(none < 100 && all > none + 300, "{all} and {none} cycles: the first includes a trip to DRAM");
}

/// Code in which thread 0 initialises the barrier object at 0x400 for one arrival.
const INITIALISE: &str = "[B------:R-:W0:-:S01] S2R R0, SR_TID.X ;\n[B0-----:R-:W-:-:S13] ISETP.NE.AND P0, PT, R0, RZ, PT ;\n\
     [B------:R-:W-:-:S02] UMOV UR4, 0x1ffffe ;\n[B------:R-:W-:-:S02] UMOV UR5, 0x7ffff800 ;\n[B------:R-:W-:-:S04] UMOV UR6, 0x400 ;\n\
     [B------:R0:W1:-:S01] @!P0 SYNCS.EXCH.64 URZ, [UR6], UR4 ;\n[B01----:R-:W-:-:S05] BAR.SYNC.DEFER_BLOCKING 0x0 ;\n";

/// Code that waits for the first phase of the barrier object.
const AWAIT: &str = "[B------:R-:W0:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR6], RZ ;\n[B0-----:R-:W-:-:S05] @!P1 BRA `(.L_x_9) ;\n";

fn meeting(middle: &str) -> Certainty {
    certainty_of(&format!("{INITIALISE}{middle}{AWAIT}.L_x_9:\n[B------:R-:W-:-:S05] EXIT ;\n"), 400)
}

#[test]
fn warps_meet_at_a_barrier_object() {
    let arrive = "[B------:R0:W-:-:S01] @!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ ;\n";
    assert_eq!(meeting(arrive), Certainty::Settled);
}

#[test]
fn a_wait_that_nothing_ends_leaves_no_number() {
    assert_eq!(meeting(""), Certainty::EndlessWait("SYNCS".into()));
    // A transfer of a tensor that the launch does not state.
    let copy =
        "[B------:R-:W-:-:S04] UMOV UR8, 0x1000 ;\n[B------:R-:W-:-:S12] @!P0 UTMALDG.2D [UR8], [UR12] ;\n";
    assert_eq!(meeting(copy), Certainty::NotTimed("UTMALDG".into()));
}

#[test]
fn half_of_the_warps_meet_at_a_numbered_barrier() {
    let body = |warps: u32| {
        format!(
            "[B------:R-:W0:-:S01] S2R R0, SR_TID.X ;\n[B0-----:R-:W-:-:S13] ISETP.GE.AND P0, PT, R0, 0x80, PT ;\n\
             [B------:R-:W-:-:S05] @P0 BRA `(.L_x_9) ;\n[B------:R-:W-:-:S05] BAR.SYNC.DEFER_BLOCKING 0x1, 0x{warps:x} ;\n\
             .L_x_9:\n[B------:R-:W-:-:S05] EXIT ;\n"
        )
    };
    assert_eq!(certainty_of(&body(128), 400), Certainty::Settled);
    assert_eq!(
        certainty_of(&body(256), 400),
        Certainty::EndlessWait("BAR".into()),
        "the others never arrive"
    );
}

#[test]
fn the_bytes_of_an_unstated_tile_are_those_that_its_barrier_object_expects() {
    let copies = "[B------:R-:W-:-:S02] MOV R2, 0x3000 ;\n[B------:R-:W-:-:S02] UMOV UR8, 0x1000 ;\n[B------:R-:W-:-:S02] UMOV UR9, 0x400 ;\n\
         [B------:R-:W-:-:S02] UMOV UR10, 0x0 ;\n[B------:R-:W-:-:S02] UMOV UR11, 0x0 ;\n[B------:R-:W-:-:S02] UMOV UR12, 0x8000 ;\n\
         [B------:R-:W-:-:S04] UMOV UR13, 0x100 ;\n[B------:R-:W-:-:S05] @P0 BRA `(.L_x_8) ;\n\
         [B------:R0:W-:-:S01] SYNCS.ARRIVE.TRANS64 RZ, [UR6], R2 ;\n[B------:R-:W-:-:S12] UTMALDG.2D [UR8], [UR12] ;\n\
         [B------:R-:W-:-:S12] UTMALDG.2D [UR8], [UR12] ;\n.L_x_8:\n";
    let kernel = Kernel::new(
        &format!("{INITIALISE}{copies}{AWAIT}.L_x_9:\n[B------:R-:W-:-:S05] EXIT ;\n"),
        [400, 1, 1],
        [256, 1, 1],
    );
    let prediction = kernel.predict(40_000).unwrap();
    assert_eq!(prediction.certainty, Certainty::Settled);
    assert_eq!(prediction.unknown_addresses.len(), 2, "their places are assumed, which is reported");
    assert!((prediction.l2_bytes / (400.0 * 12_288.0) - 1.0).abs() < 0.05, "{}", prediction.l2_bytes);
}

#[test]
fn the_copies_of_all_warps_share_the_expected_bytes() {
    // The first warp states the bytes. One lane of each of the eight warps copies a tile.
    let copies = "[B------:R-:W-:-:S02] MOV R2, 0x8000 ;\n[B------:R-:W-:-:S02] UMOV UR8, 0x1000 ;\n[B------:R-:W-:-:S02] UMOV UR9, 0x400 ;\n\
         [B------:R-:W-:-:S02] UMOV UR10, 0x0 ;\n[B------:R-:W-:-:S02] UMOV UR11, 0x0 ;\n[B------:R-:W-:-:S02] UMOV UR12, 0x8000 ;\n\
         [B------:R-:W-:-:S04] UMOV UR13, 0x100 ;\n[B------:R0:W-:-:S01] @!P0 SYNCS.ARRIVE.TRANS64 RZ, [UR6], R2 ;\n\
         [B0-----:R-:W-:-:S05] BAR.SYNC.DEFER_BLOCKING 0x0 ;\n[B------:R-:W-:-:S12] UTMALDG.2D [UR8], [UR12] ;\n";
    let kernel = Kernel::new(
        &format!("{INITIALISE}{copies}{AWAIT}.L_x_9:\n[B------:R-:W-:-:S05] EXIT ;\n"),
        [400, 1, 1],
        [256, 1, 1],
    );
    let prediction = kernel.predict(40_000).unwrap();
    assert_eq!(prediction.certainty, Certainty::Settled);
    assert!((prediction.l2_bytes / (400.0 * 32_768.0) - 1.0).abs() < 0.05, "{}", prediction.l2_bytes);
}
