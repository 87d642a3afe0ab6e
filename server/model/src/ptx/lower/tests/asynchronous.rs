//! Lowering of asynchronous instructions and their operands: barrier object phases, parameter addresses, sizes.

use super::lines;
use std::fmt::Write;

/// Returns the instructions of a kernel for `sm_90` with this body.
fn lowered(body: &str) -> Vec<String> {
    let registers =
        ".reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %l<20>; .reg .pred %p<20>; ld.param.u64 %l0, [p];";
    lines(
        90,
        &format!(
            ".version 8.4\n.target sm_90a\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 p)\n{{\n{registers}\n{body}\nret;\n}}\n"
        ),
    )
}

/// Returns the mnemonic and the operands of the first instruction that contains `name`, without commas and brackets.
fn operands<'l>(lines: &'l [String], name: &str) -> Vec<&'l str> {
    let line = lines.iter().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {lines:?}"));
    line.split([' ', ',', '[', ']']).filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_result_of_a_wait_on_a_barrier_object_is_a_predicate() {
    let own = lowered(
        "ld.global.u32 %r0, [%l0]; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r0], %r0;
         selp.b32 %r1, %r0, %r0, %p1; @%p1 st.global.u32 [%l0], %r1;",
    );
    let wait = operands(&own, "TRYWAIT");
    assert!(wait[1].starts_with('P') && wait[1] != "PT", "{own:?}");
    assert!(own.contains(&format!("@{} CCTL.IVALL", wait[1])), "{own:?}");
}

#[test]
fn an_arrival_without_a_state_writes_no_register() {
    let own = lowered("ld.global.u32 %r0, [%l0]; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], %r0;");
    assert_eq!(operands(&own, "SYNCS.ARRIVE")[1], "RZ");
}

#[test]
fn the_address_of_a_parameter_is_relative_to_all_parameters() {
    let own = lowered(
        "mov.b64 %l1, map; cvta.param.u64 %l2, %l1; ld.global.u32 %r0, [%l0];
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%l2, {%r0, %r0}], [%r0];",
    );
    assert!(own.iter().any(|line| line.contains("c[0x0][0x198]")), "{own:?}");
}

#[test]
fn bulk_copies_count_units_of_16_bytes() {
    let own = lowered(
        "ld.global.u32 %r0, [%l0];
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%l0], 4096, [%r0];",
    );
    assert!(own.iter().any(|line| line.contains("0x100")), "{own:?}");
}

#[test]
fn sources_of_16_bits_are_extended_where_their_upper_half_matters() {
    let of = |load: &str| {
        let own = lowered(&format!("{load} mul.wide.u16 %r1, %h1, -32768; st.global.u32 [%l0], %r1;"));
        (own.iter().any(|line| line.contains("0xffff,")), own.iter().any(|line| line.contains("0x8000,")))
    };
    assert_eq!(of("ld.global.u32 %r0, [%l0]; cvt.u16.u32 %h1, %r0;"), (true, true));
    assert_eq!(of("ld.global.u16 %h1, [%l0];"), (false, true), "a load extends");
}

#[test]
fn more_predicates_than_a_thread_has_stay_apart() {
    let mut body = "ld.global.u32 %r0, [%l0];".to_owned();
    for at in 1..12 {
        let _ = write!(body, "setp.eq.s32 %p{at}, %r0, {at};");
    }
    // All of them are live at the barrier.
    body.push_str("bar.sync 0;");
    for at in 1..12 {
        let _ = write!(body, "@%p{at} st.global.u32 [%l0+{}], %r0;", 4 * at);
    }
    let own = lowered(&body);
    let mut guards: Vec<&str> =
        own.iter().filter(|line| line.contains("STG")).filter_map(|line| line.split(' ').next()).collect();
    guards.sort_unstable();
    guards.dedup();
    assert_eq!(guards.len(), 11, "{own:?}");
}

#[test]
fn the_number_of_groups_to_wait_for_is_an_integer() {
    let own = lowered("cp.async.wait_group 1;");
    assert_eq!(operands(&own, "DEPBAR"), ["DEPBAR.LE", "SB0", "0x1"]);
}

#[test]
fn a_barrier_of_some_threads_keeps_their_number() {
    let own = lowered("bar.sync 1, 128;");
    assert_eq!(operands(&own, "BAR.SYNC").last(), Some(&"0x80"), "{own:?}");
}

#[test]
fn the_descriptors_of_many_copies_are_whole() {
    let copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%l2, {%r0, %r0}], [%r0];";
    let own = lowered(&format!(
        "mov.b64 %l1, map; cvta.param.u64 %l2, %l1; ld.global.u32 %r0, [%l0]; {}",
        copy.repeat(20)
    ));
    let copies: Vec<&String> = own.iter().filter(|line| line.contains("UTMALDG")).collect();
    assert_eq!(copies.len(), 20);
    for line in copies {
        let registers =
            line.split("[UR").skip(1).filter_map(|rest| rest.split(']').next()?.parse::<u32>().ok());
        assert!(
            registers.max().is_some_and(|first| first <= 58),
            "UR62 is the last uniform register: {line}"
        );
    }
}

#[test]
fn a_multicast_copy_has_a_mask_of_its_receivers() {
    let own = lowered(
        "mov.b64 %l1, map; cvta.param.u64 %l2, %l1; ld.global.u32 %r0, [%l0];
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
         [%r0], [%l2, {%r0, %r0}], [%r0], 3;",
    );
    assert!(own.iter().any(|line| line.contains("UTMALDG.2D.MULTICAST")), "{own:?}");
    assert!(own.iter().any(|line| line.contains("0x30000")), "{own:?}");
}

#[test]
fn a_copy_for_one_successor_leaves_the_value_that_another_reads() {
    // At the end, %r2 is %r0 if the branch was taken, and %r1 if not. %r0 is read later, so that %r2 gets the register of %r1.
    let own = lowered(
        "ld.global.u32 %r0, [%l0]; ld.global.u32 %r1, [%l0+4]; setp.eq.s32 %p1, %r0, 7; mov.u32 %r2, %r0;
         @%p1 bra JOIN; bar.sync 0; st.global.u32 [%l0+8], %r1; bar.sync 0; mov.u32 %r2, %r1;
         JOIN: st.global.u32 [%l0+12], %r2; st.global.u32 [%l0+16], %r0;",
    );
    let value = |place: &str| operands(&own, place).last().copied().unwrap_or_default();
    let (kept, joined) = (value("R2.64+0x8"), value("R2.64+0xc"));
    assert_eq!(kept, joined, "{own:?}");
    assert!(own.contains(&format!("@P0 MOV {joined}, {}", value("R2.64+0x10"))), "{own:?}");
}

#[test]
fn a_predicate_that_is_copied_has_three_inputs() {
    let own = lowered(
        "ld.global.u32 %r0, [%l0];
         LOOP: add.s32 %r0, %r0, 1; setp.ge.s32 %p1, %r0, 5000; mov.pred %p2, -1; @%p1 bra JOIN; bar.sync 0; mov.pred %p2, 0;
         JOIN: st.global.u32 [%l0], %r0; not.pred %p3, %p2; @%p3 bra LOOP;",
    );
    let inputs = |line: &&String| {
        line.contains("PLOP3")
            .then(|| line.split(", ").skip(2).filter(|word| !word.starts_with("0x")).count())
    };
    assert_eq!(own.iter().filter_map(|line| inputs(&line)).collect::<Vec<usize>>(), [3, 3, 3], "{own:?}");
}

#[test]
fn a_remote_store_has_the_pair_of_its_address_and_its_barrier_object() {
    let of = |statement: &str| {
        lowered(&format!(
            "ld.global.u32 %r0, [%l0]; ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%l0+16]; {statement}"
        ))
    };
    for (value, suffix) in [
        ("b32 [%r0], %r1", "STAS"),
        ("v2.b32 [%r0], {%r1, %r2}", "STAS.64"),
        ("v4.b32 [%r0], {%r1, %r2, %r3, %r4}", "STAS.128"),
    ] {
        let own = of(&format!("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{value}, [%r2];"));
        assert_eq!(operands(&own, "STAS")[0], suffix, "{own:?}");
        assert!(operands(&own, "STAS")[1].ends_with(".64"), "{own:?}");
    }
    let own = of(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r0], %r1, [%r2];",
    );
    assert_eq!(operands(&own, "REDAS")[0], "REDAS.MAX.S32", "{own:?}");
}

#[test]
fn values_that_are_swapped_for_one_successor_stay_for_another() {
    let own = lowered(
        "ld.global.u32 %r0, [%l0]; setp.eq.s32 %p1, %r0, 1; setp.eq.s32 %p3, %r0, 2; mov.u32 %r1, 0;
         LOOP: mov.u32 %r5, -1; @%p3 bra END; st.global.u32 [%l0], %r1; add.s32 %r4, %r1, 1; mov.u32 %r5, %r1; mov.u32 %r6, %r4; mov.u32 %r1, %r6; @%p1 bra END;
         bar.sync 0; st.global.u32 [%l0+8], %r4; st.global.u32 [%l0+12], %r5; bar.sync 0; add.s32 %r7, %r4, 1; mov.u32 %r5, %r4; mov.u32 %r1, %r7;
         END: st.global.u32 [%l0+16], %r5; setp.lt.s32 %p2, %r1, 99; @%p2 bra LOOP; st.global.u32 [%l0+20], %r1;",
    );
    // Only where the branch is taken do %r5 and %r1 become the old %r1 and %r4, whose registers they share.
    let swaps =
        own.iter().take_while(|line| !line.contains("BAR")).filter(|line| line.starts_with("@P0 MOV"));
    assert_eq!(swaps.count(), 2, "{own:#?}");
}
