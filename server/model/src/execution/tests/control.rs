//! Control flow of lanes, case by case: how often a warp reaches an instruction, and with how many lanes.

use super::Kernel;
use crate::execution::UNSTATED_TRIPS;

/// A line of a kernel: an instruction, how often a warp of 32 threads issues it, and with how many lanes in total.
type IssueCount = (&'static str, u32, u32);

/// Trip counts of loops that the launch states, by the line of their branches.
type Trips = &'static [(usize, u64)];

const TID: IssueCount = ("S2R R0, SR_TID.X", 1, 32);
const BELOW_5: IssueCount = ("ISETP.LT.AND P0, PT, R0, 0x5, PT", 1, 32);
const LOADED: IssueCount = ("LDG.E R1, desc[UR4][R2.64]", 1, 32);
const UNSTATED: u32 = UNSTATED_TRIPS as u32;

fn check(sm: u16, trips: Trips, lines: &[IssueCount], guessed: &[usize]) {
    let text: Vec<&str> = lines.iter().map(|line| line.0).collect();
    let kernel = Kernel::new(sm, &text);
    let instructions: Vec<&IssueCount> = lines.iter().filter(|line| !line.0.ends_with(':')).collect();
    for (inst, line) in kernel.program.instructions.iter().zip(&instructions) {
        assert!(inst.opcode.is_some(), "sm_{sm} has no {}", line.0);
    }
    let mut launch = kernel.launch([1; 3], [32, 1, 1]);
    launch.trips.extend(trips.iter().map(|&(at, trips)| (kernel.program.instructions[at].address, trips)));
    let events = kernel.run(&launch, &crate::address::WarpThreads::first(launch.block));
    for (at, line) in instructions.iter().enumerate() {
        let own: Vec<_> = events.iter().filter(|(ran, _)| ran.inst as usize == at).collect();
        let lanes: u32 = own.iter().map(|(ran, _)| ran.active.count_ones()).sum();
        assert_eq!((own.len() as u32, lanes), (line.1, line.2), "{at}: {} of {text:#?}", line.0);
        let is_guessed = own.iter().any(|(ran, _)| ran.is_guessed);
        assert_eq!(is_guessed, guessed.contains(&at), "{at}: {} of {text:#?}", line.0);
    }
}

#[test]
fn a_guarded_exit_ends_its_lanes() {
    check(90, &[], &[TID, BELOW_5, ("@P0 EXIT", 1, 5), ("NOP", 1, 27), ("EXIT", 1, 27)], &[]);
    check(90, &[], &[TID, BELOW_5, ("@!P0 EXIT", 1, 27), ("NOP", 1, 5), ("EXIT", 1, 5), ("NOP", 0, 0)], &[]);
}

#[test]
fn lanes_with_another_value_than_the_first_are_found() {
    let lines = [
        TID,
        ("R2UR P0, UR4, R0", 1, 32),
        ("@P0 LDS R2, [R0]", 1, 31),
        ("MOV R3, 0x4", 1, 32),
        ("R2UR.OR P0, UR4, R3", 1, 32),
        ("@P0 LDS R2, [R0]", 1, 31),
        ("R2UR P0, UR4, R3", 1, 32),
        ("@P0 LDS R2, [R0]", 1, 0),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn a_whole_warp_passes_a_test_for_divergence() {
    let lines = [
        ("BRA.DIV UR4, (apart)", 1, 32),
        ("NOP", 1, 32),
        ("EXIT", 1, 32),
        ("apart:", 0, 0),
        ("NOP", 0, 0),
        ("EXIT", 0, 0),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn lanes_that_a_guard_turns_off_stay_with_the_warp() {
    check(90, &[], &[TID, BELOW_5, ("@P0 LDS R2, [R0]", 1, 5), ("NOP", 1, 32), ("EXIT", 1, 32)], &[]);
}

#[test]
fn split_lanes_join_at_their_barrier() {
    let lines = [
        TID,
        BELOW_5,
        ("BSSY B0, (end)", 1, 32),
        ("@P0 BRA (other)", 1, 5),
        ("NOP", 1, 27),
        ("BRA (end)", 1, 27),
        ("other:", 0, 0),
        ("NOP", 1, 5),
        ("end:", 0, 0),
        // Each group of lanes arrives by itself.
        ("BSYNC B0", 2, 32),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn split_lanes_join_at_their_barrier_although_some_have_ended() {
    let lines = [
        TID,
        BELOW_5,
        ("BSSY B0, (end)", 1, 32),
        ("@!P0 BRA (end)", 1, 27),
        ("ISETP.LT.AND P1, PT, R0, 0x2, PT", 1, 5),
        ("@P1 EXIT", 1, 2),
        ("NOP", 1, 3),
        ("end:", 0, 0),
        ("BSYNC B0", 2, 30),
        ("EXIT", 1, 30),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn barriers_stand_inside_of_one_another() {
    let lines = [
        TID,
        BELOW_5,
        ("ISETP.LT.AND P1, PT, R0, 0x2, PT", 1, 32),
        ("BSSY B0, (outer)", 1, 32),
        ("@!P0 BRA (outer)", 1, 27),
        ("BSSY B1, (inner)", 1, 5),
        ("@P1 BRA (inner)", 1, 2),
        ("NOP", 1, 3),
        ("inner:", 0, 0),
        ("BSYNC B1", 2, 5),
        ("NOP", 1, 5),
        ("outer:", 0, 0),
        ("BSYNC B0", 2, 32),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn a_barrier_does_not_wait_for_lanes_that_break_out_of_it() {
    let lines = [
        TID,
        BELOW_5,
        ("BSSY B0, (end)", 1, 32),
        ("@P0 BREAK B0", 1, 5),
        ("@P0 BRA (behind)", 1, 5),
        ("NOP", 1, 27),
        ("end:", 0, 0),
        ("BSYNC B0", 1, 27),
        ("behind:", 0, 0),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn lanes_leave_a_loop_one_after_another() {
    // Lane n runs n + 1 iterations, where n is the lowest three bits of its number.
    let lines = [
        TID,
        ("LOP3.LUT R1, R0, 0x7, RZ, 0xc0, !PT", 1, 32),
        ("MOV R2, RZ", 1, 32),
        ("BSSY B0, (end)", 1, 32),
        ("head:", 0, 0),
        ("ISETP.GE.AND P0, PT, R2, R1, PT", 8, 144),
        ("VIADD R2, R2, 0x1", 8, 144),
        ("@!P0 BRA (head)", 8, 112),
        ("end:", 0, 0),
        ("BSYNC B0", 8, 32),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn maxwell_keeps_where_lanes_meet_on_a_stack() {
    let lines = [
        TID,
        BELOW_5,
        ("SSY (end)", 1, 32),
        ("@P0 BRA (other)", 1, 5),
        ("NOP", 1, 27),
        ("SYNC", 1, 27),
        ("other:", 0, 0),
        ("NOP", 1, 5),
        ("SYNC", 1, 5),
        ("end:", 0, 0),
        ("EXIT", 1, 32),
    ];
    check(52, &[], &lines, &[]);
    let lines = [
        TID,
        ("MOV R2, RZ", 1, 32),
        ("PBK (end)", 1, 32),
        ("head:", 0, 0),
        ("ISETP.GE.AND P0, PT, R2, R0, PT", 32, 528),
        ("@P0 BRK", 32, 32),
        ("IADD R2, R2, 0x1", 31, 496),
        ("BRA (head)", 31, 496),
        ("end:", 0, 0),
        ("EXIT", 1, 32),
    ];
    check(52, &[], &lines, &[]);
}

#[test]
fn calls_come_back() {
    let lines = [
        TID,
        BELOW_5,
        ("CALL.REL.NOINC (function)", 1, 32),
        ("NOP", 1, 32),
        ("@P0 CALL.REL.NOINC (function)", 1, 5),
        ("NOP", 1, 32),
        ("EXIT", 1, 32),
        ("function:", 0, 0),
        ("FADD R5, R5, R5", 2, 37),
        ("RET.REL.NODEC R4 0x0", 2, 37),
    ];
    let events = Kernel::new(90, &lines.map(|line| line.0)).run_one();
    let lanes = |inst: u32| {
        events.iter().filter(|(ran, _)| ran.inst == inst).map(|(ran, _)| ran.lanes.count_ones()).sum::<u32>()
    };
    assert_eq!((lanes(3), lanes(5), lanes(6), lanes(7)), (32, 32, 32, 37));
    let lines = [
        TID,
        ("CAL (outer)", 1, 32),
        ("EXIT", 1, 32),
        ("outer:", 0, 0),
        ("CAL (inner)", 1, 32),
        ("CAL (inner)", 1, 32),
        ("RET", 1, 32),
        ("inner:", 0, 0),
        ("RET", 2, 64),
    ];
    check(52, &[], &lines, &[]);
}

#[test]
fn the_target_of_an_indirect_branch_is_unknown() {
    check(90, &[], &[TID, BELOW_5, ("@P0 BRX R2 -0x20", 1, 5), ("NOP", 1, 27), ("EXIT", 1, 27)], &[]);
}

#[test]
fn lanes_that_synchronise_go_on() {
    check(90, &[], &[TID, ("WARPSYNC 0xffffffff", 1, 32), ("NOP", 1, 32), ("EXIT", 1, 32)], &[]);
}

/// The last block of the loop comes first in the text. Lanes that jump back to it wait for the lanes that still have to
/// run the code below.
#[test]
fn lanes_meet_in_a_rotated_loop() {
    let lines = [
        TID,
        BELOW_5,
        ("MOV R1, RZ", 1, 32),
        ("BRA (start)", 1, 32),
        ("rest:", 0, 0),
        ("IADD3 R1, R1, 0x1, RZ", 3, 96),
        ("ISETP.GE.AND P1, PT, R1, 0x3, PT", 3, 96),
        ("@P1 EXIT", 3, 32),
        ("start:", 0, 0),
        ("NOP", 3, 96),
        ("@P0 BRA (rest)", 3, 15),
        ("LDS R4, [R0]", 3, 81),
        ("BRA (rest)", 3, 81),
    ];
    check(90, &[], &lines, &[]);
}

#[test]
fn a_branch_asks_all_of_its_conditions() {
    let lines = [
        TID,
        BELOW_5,
        ("ISETP.GT.AND P1, PT, R0, 0x2, PT", 1, 32),
        ("@P0 BRA P1, (end)", 1, 5),
        ("LDS R5, [R0]", 1, 30),
        ("end:", 0, 0),
        ("EXIT", 1, 32),
    ];
    check(90, &[], &lines, &[]);
    check(90, &[], &[TID, ("BRA !PT, (end)", 1, 32), ("NOP", 1, 32), ("end:", 0, 0), ("EXIT", 1, 32)], &[]);
}

/// A loop with `times` iterations whose exit condition depends on memory contents. It is tested after the body.
const fn loaded_loop(times: u32) -> [IssueCount; 6] {
    [
        LOADED,
        ("ISETP.GT.AND P0, PT, R1, RZ, PT", 1, 32),
        ("head:", 0, 0),
        ("NOP", times, 32 * times),
        ("@P0 BRA (head)", times, 32 * times),
        ("EXIT", 1, 32),
    ]
}

#[test]
fn a_loop_that_the_data_end_runs_as_often_as_is_stated() {
    check(90, &[(3, 5)], &loaded_loop(5), &[]);
    check(90, &[(3, 1)], &loaded_loop(1), &[]);
    // A loop that is tested after its body runs at least once.
    check(90, &[(3, 0)], &loaded_loop(1), &[]);
    check(90, &[], &loaded_loop(UNSTATED), &[3]);
}

/// A loop with `times` iterations whose exit condition depends on memory contents. It is tested before the body.
const fn tested_first(times: u32) -> [IssueCount; 9] {
    [
        LOADED,
        ("ISETP.GT.AND P0, PT, R1, RZ, PT", 1, 32),
        ("head:", 0, 0),
        ("@P0 BRA (end)", times + 1, 32 * (times + 1)),
        ("NOP", times, 32 * times),
        ("BRA (head)", times, 32 * times),
        ("end:", 0, 0),
        ("NOP", 1, 32),
        ("EXIT", 1, 32),
    ]
}

#[test]
fn a_loop_that_is_tested_first_runs_as_often_as_is_stated() {
    check(90, &[(4, 3)], &tested_first(3), &[]);
    check(90, &[(4, 0)], &tested_first(0), &[]);
    check(90, &[], &tested_first(UNSTATED), &[2]);
}

/// A loop with `times` iterations that a branch before it can skip.
const fn guarded_loop(times: u32) -> [IssueCount; 8] {
    [
        LOADED,
        ("ISETP.GT.AND P0, PT, R1, RZ, PT", 1, 32),
        ("@!P0 BRA (end)", 1, 32),
        ("head:", 0, 0),
        ("NOP", times, 32 * times),
        ("@P0 BRA (head)", times, 32 * times),
        ("end:", 0, 0),
        ("EXIT", 1, 32),
    ]
}

#[test]
fn a_loop_of_no_trips_is_passed_by() {
    check(90, &[(4, 0)], &guarded_loop(0), &[]);
    check(90, &[(4, 2)], &guarded_loop(2), &[]);
}

/// A loop in a loop. Each entry into the inner loop starts its iteration count again.
#[test]
fn passes_count_from_a_loops_entry() {
    let lines = [
        LOADED,
        ("ISETP.GT.AND P0, PT, R1, RZ, PT", 1, 32),
        ("MOV R5, RZ", 1, 32),
        ("outer:", 0, 0),
        ("head:", 0, 0),
        ("NOP", 12, 384),
        ("@P0 BRA (head)", 12, 384),
        ("VIADD R5, R5, 0x1", 4, 128),
        ("ISETP.LT.AND P1, PT, R5, 0x4, PT", 4, 128),
        ("@P1 BRA (outer)", 4, 96),
        ("EXIT", 1, 32),
    ];
    check(90, &[(4, 3)], &lines, &[]);
}

/// A block may leave its last warp partly filled.
#[test]
fn a_warp_has_the_lanes_that_its_block_has() {
    let kernel = Kernel::new(90, &["NOP", "EXIT"]);
    let launch = kernel.launch([1; 3], [10, 5, 1]);
    for (warp, lanes) in [(0, u32::MAX), (1, (1 << 18) - 1)] {
        let place = crate::address::WarpThreads { block: launch.block, warp, ctaid: [0; 3] };
        let events = kernel.run(&launch, &place);
        assert_eq!(events.iter().map(|(ran, _)| ran.lanes).collect::<Vec<_>>(), [lanes; 2]);
    }
    let beyond = crate::address::WarpThreads { block: launch.block, warp: 2, ctaid: [0; 3] };
    assert!(kernel.run(&launch, &beyond).is_empty());
}

#[test]
fn a_function_that_calls_itself_is_left() {
    check(90, &[], &[("CALL.REL.NOINC 0x0", 65, 65 * 32), ("EXIT", 0, 0)], &[]);
}
