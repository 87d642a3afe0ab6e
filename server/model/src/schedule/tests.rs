//! Control codes of short and random programs. Each program runs along random paths, and only the codes delay its
//! instructions; every dependence must be kept.

use super::{Plan, Request, compute};
use crate::hazards::{Need, Needs, Order};
use crate::{Chunk, Control, Program, Register};
use machine::{Flow, InOrder, Machine};
use proptest::prelude::*;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use syntax::sass::{Encoding, Listing, SmVersion};

/// Prints a kernel of these instructions, at addresses from 0 without gaps.
fn listing(sm: u16, instructions: &[String]) -> Listing {
    let bytes = SmVersion::new(sm).encoding().instruction_bytes() as usize;
    let end = if SmVersion::new(sm).encoding() == Encoding::Kepler { ";" } else { " ;" };
    let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
    for (index, instruction) in instructions.iter().enumerate() {
        writeln!(text, "        /*{:04x}*/                   {instruction}{end}", index * bytes).unwrap();
    }
    Listing::parse(&text)
}

fn planned<T>(sm: u16, instructions: &[&str], then: impl Fn(&Chunk, &Program, Plan) -> T) -> T {
    let lines: Vec<String> = instructions.iter().map(|&line| line.to_owned()).collect();
    let listing = listing(sm, &lines);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch);
    let plan = compute(chunk, &program, &Request::default());
    then(chunk, &program, plan)
}

fn controls(sm: u16, instructions: &[&str]) -> Vec<Control> {
    planned(sm, instructions, |_, _, plan| plan.controls)
}

/// Cycles until a wait sees a scoreboard that an instruction sets.
const VISIBLE: u64 = 2;

/// An access of a register and its cycle; `done` if a scoreboard has signalled its end.
#[derive(Debug, Clone, Copy)]
struct RegisterAccess {
    inst: u32,
    time: u64,
    done: bool,
}

/// A run along one path through a program, in which only the control codes delay instructions.
#[derive(Default)]
struct Runner {
    now: u64,
    writers: FxHashMap<Register, Vec<RegisterAccess>>,
    readers: FxHashMap<Register, Vec<RegisterAccess>>,
}

impl Runner {
    /// Issues an instruction; `Err` names a dependence that was not kept.
    fn step(&mut self, program: &Program, needs: Needs, controls: &[Control], at: u32) -> Result<(), String> {
        let inst = &program.instructions[at as usize];
        let control = &controls[at as usize];
        self.wait(program, controls, control.wait_mask);
        let check = |touch: &RegisterAccess, register: Register, order: Order| {
            let kept = match super::walk::between(program, needs, (touch.inst, at), register, order) {
                Need::None => true,
                Need::Cycles(cycles) => touch.done || self.now - touch.time >= u64::from(cycles),
                Need::Scoreboard => touch.done,
            };
            if kept { Ok(()) } else { Err(format!("{order:?} of {register:?}: {} then {at}", touch.inst)) }
        };
        for access in program.reads(inst) {
            for touch in self.writers.get(&access.register).into_iter().flatten() {
                check(touch, access.register, Order::ReadAfterWrite)?;
            }
        }
        for access in program.writes(inst) {
            for touch in self.writers.get(&access.register).into_iter().flatten() {
                check(touch, access.register, Order::WriteAfterWrite)?;
            }
            for touch in self.readers.get(&access.register).into_iter().flatten() {
                check(touch, access.register, Order::WriteAfterRead)?;
            }
        }
        let touch = RegisterAccess { inst: at, time: self.now, done: false };
        for access in program.writes(inst) {
            if inst.guard.is_none() {
                self.writers.remove(&access.register);
                self.readers.remove(&access.register);
            }
        }
        for access in program.reads(inst) {
            self.readers.entry(access.register).or_default().push(touch);
        }
        for access in program.writes(inst) {
            self.writers.entry(access.register).or_default().push(touch);
        }
        self.now += u64::from(control.stall.unwrap_or(0));
        Ok(())
    }

    fn wait(&mut self, program: &Program, controls: &[Control], mask: u8) {
        let now = self.now;
        let reported = |touch: &RegisterAccess, board: Option<u8>| {
            board.is_some_and(|board| mask >> board & 1 == 1) && touch.time + VISIBLE <= now
        };
        let class = |touch: &RegisterAccess| program.instructions[touch.inst as usize].class;
        let class = |touch: &RegisterAccess| class(touch).map(|class| program.arch.class(class));
        let returns = |touch: &RegisterAccess| class(touch).and_then(|class| class.returns);
        let queue = |touch: &RegisterAccess| class(touch).and_then(|class| class.queue);
        let is_written =
            |touch: &RegisterAccess| reported(touch, controls[touch.inst as usize].write_barrier);
        let is_read = |touch: &RegisterAccess| {
            is_written(touch) || reported(touch, controls[touch.inst as usize].read_barrier)
        };
        // Once an operation is done, so are those before it in its queue.
        let is_sure = |touch: &RegisterAccess| program.instructions[touch.inst as usize].guard.is_none();
        let all = |touches: &FxHashMap<Register, Vec<RegisterAccess>>| -> Vec<RegisterAccess> {
            touches.values().flatten().copied().filter(is_sure).collect()
        };
        let (writers, readers) = (all(&self.writers), all(&self.readers));
        let ends = |touches: &[RegisterAccess],
                    is_reported: &dyn Fn(&RegisterAccess) -> bool,
                    line: &dyn Fn(&RegisterAccess) -> Option<InOrder>| {
            let reported = touches.iter().filter(|touch| is_reported(touch));
            reported.filter_map(|touch| Some((line(touch)?, touch.time))).collect::<Vec<_>>()
        };
        let written = ends(&writers, &is_written, &returns);
        let read = [ends(&writers, &is_written, &queue), ends(&readers, &is_read, &queue)].concat();
        let is_before = |ends: &[(InOrder, u64)], line: Option<InOrder>, time: u64| {
            ends.iter().any(|&(of, end)| line == Some(of) && time < end)
        };
        for touch in self.writers.values_mut().flatten() {
            touch.done |= is_written(touch) || is_before(&written, returns(touch), touch.time);
        }
        for touch in self.readers.values_mut().flatten() {
            touch.done |= is_read(touch) || is_before(&read, queue(touch), touch.time);
        }
    }
}

/// Runs along paths that `choices` picks at every branch; `Err` names a dependence that was not kept.
fn run(program: &Program, controls: &[Control], choices: &[bool]) -> Result<(), String> {
    let needs = Needs::new(program);
    let mut runner = Runner::default();
    let mut at = 0;
    let mut next = choices.iter();
    for _ in 0..choices.len() * 8 {
        let Some(inst) = program.instructions.get(at as usize) else { break };
        runner.step(program, needs, controls, at)?;
        let choice = next.next().copied().unwrap_or(false);
        at = match (inst.flow, inst.target) {
            (Flow::Branch, Some(target)) if inst.guard.is_none() || choice => target,
            (Flow::Exit, _) if inst.guard.is_none() => break,
            _ => at + 1,
        };
    }
    Ok(())
}

/// True if the architecture's instruction encoding can represent the control code.
fn is_sayable(sm: u16, control: &Control) -> bool {
    let stall = control.stall.unwrap_or(0);
    let board = |board: Option<u8>| board.is_none_or(|board| board < 6);
    let known = stall <= 15 && board(control.write_barrier) && board(control.read_barrier);
    let yields = sm < 50 || control.yields || stall <= 11;
    let keeps = control.reuse_mask == 0 || !control.yields;
    known && yields && keeps && control.wait_mask < 64
}

#[test]
fn a_load_is_waited_for_at_its_first_use() {
    let codes =
        controls(90, &["LDG.E R2, desc[UR4][R4.64]", "IADD3 R6, R8, R8, RZ", "IADD3 R7, R2, R8, RZ", "EXIT"]);
    let board = codes[0].write_barrier.expect("a later instruction waits for it");
    assert_eq!(codes.iter().map(|code| code.wait_mask).collect::<Vec<_>>(), [0, 0, 1 << board, 0]);
}

#[test]
fn a_result_that_nothing_reads_takes_no_scoreboard() {
    let codes = controls(90, &["LDG.E R2, desc[UR4][R4.64]", "EXIT"]);
    assert_eq!((codes[0].write_barrier, codes[0].read_barrier), (None, None));
}

#[test]
fn a_wait_directly_after_its_load_sees_the_scoreboard() {
    let codes = controls(90, &["LDS R2, [R4]", "IADD3 R7, R2, R8, RZ", "EXIT"]);
    assert!(codes[0].stall >= Some(2));
}

#[test]
fn a_load_carried_around_a_loop_is_waited_for() {
    let lines =
        ["MOV R2, RZ", "MOV R6, RZ", "FADD R6, R6, R2", "LDG.E R2, desc[UR4][R4.64]", "@P0 BRA 0x20", "EXIT"];
    let codes = controls(90, &lines);
    let board = codes[3].write_barrier.expect("a later instruction waits for it");
    assert_eq!(codes[2].wait_mask, 1 << board);
}

#[test]
fn a_result_is_waited_for_where_two_jumps_back_lead() {
    let lines = ["FADD R0, R0, R0", "@P0 BRA 0x0", "MUFU.RCP R0, R2", "@P0 BRA 0x10", "EXIT"];
    let codes = controls(90, &lines);
    let board = codes[2].write_barrier.expect("a later instruction waits for it");
    assert_eq!(codes[0].wait_mask, 1 << board);
}

#[test]
fn everything_is_waited_for_before_a_call_elsewhere() {
    let codes = controls(90, &["LDG.E R2, desc[UR4][R4.64]", "CALL.ABS.NOINC `(other)", "EXIT"]);
    let board = codes[0].write_barrier.expect("a later instruction waits for it");
    assert_eq!(codes[1].wait_mask >> board & 1, 1);
}

#[test]
fn long_results_do_not_share_with_short_ones() {
    let mut lines = vec!["LDG.E R2, desc[UR4][R4.64]".to_owned()];
    lines.extend((10..17).map(|at| format!("MUFU.RCP R{at}, R40")));
    lines.extend((10..17).map(|at| format!("FADD R{}, R{at}, R{at}", at + 10)));
    lines.extend(["FADD R3, R2, R2".to_owned(), "EXIT".to_owned()]);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let codes = controls(90, &lines);
    assert!(codes[1..8].iter().all(|code| code.write_barrier != codes[0].write_barrier));
}

#[test]
fn a_scoreboard_that_a_counted_wait_names_is_left_to_its_group() {
    let codes = controls(
        90,
        &[
            "LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64]",
            "LDGDEPBAR",
            "LDS R4, [R12]",
            "DEPBAR.LE SB0, 0x0",
            "FADD R5, R4, R4",
            "EXIT",
        ],
    );
    assert_eq!(codes[1].write_barrier, Some(0));
    assert!(codes[2].write_barrier.is_some_and(|board| board != 0));
}

#[test]
fn memory_is_touched_only_once_the_barrier_holds_the_warp() {
    let codes = controls(90, &["BAR.SYNC 0x0", "IADD3 R7, R2, R8, RZ", "LDS R2, [R4]", "EXIT"]);
    let stalls: u8 = codes[..2].iter().filter_map(|code| code.stall).sum();
    assert!(stalls >= 6, "{stalls}");
    let codes = controls(90, &["BAR.SYNC 0x0", "BRA 0x30", "NOP", "LDS R2, [R4]", "EXIT"]);
    assert!(codes[0].stall >= Some(6) && codes[1].stall >= Some(5));
    // Neither does any other queue take an instruction.
    assert!(controls(90, &["BAR.SYNC 0x0", "MUFU.RCP R2, R4", "EXIT"])[0].stall >= Some(6));
    assert!(controls(90, &["BAR.SYNC 0x0", "FADD R2, R4, R4", "EXIT"])[0].stall < Some(6));
}

/// True if `waiting` waits for the scoreboard that `setting` sets on its read or its write.
fn waits_for(waiting: &Control, setting: &Control) -> bool {
    let boards = [setting.read_barrier, setting.write_barrier];
    boards.into_iter().flatten().any(|board| waiting.wait_mask >> board & 1 == 1)
}

#[test]
fn products_are_waited_for_where_the_code_says_and_wait_for_nothing() {
    let codes = controls(
        90,
        &[
            "LDG.E R68, desc[UR4][R2.64]",
            "WARPGROUP.ARRIVE",
            "HGMMA.64x64x16.F32 R24, R68, gdesc[UR8], R24",
            "HGMMA.64x64x16.F32 R24, R68, gdesc[UR12], R24, gsb0",
            "WARPGROUP.DEPBAR.LE gsb0, 0x0",
            "FADD R24, R24, R25",
            "EXIT",
        ],
    );
    assert!(waits_for(&codes[1], &codes[0]), "the loaded fragment is waited for before the products");
    assert!(codes[2..5].iter().all(|code| code.wait_mask == 0));
    assert!(codes[2..5].iter().all(|code| code.write_barrier.is_none() && code.read_barrier.is_none()));
    let stalls: Vec<u8> = codes[1..5].iter().filter_map(|code| code.stall).collect();
    assert!(stalls[0] >= 6 && stalls[1] >= 4 && stalls[2] >= 3 && stalls[3] >= 2, "{stalls:?}");
}

#[test]
fn a_predicate_reaches_a_product_as_late_as_a_guard() {
    let cycles = distance(
        90,
        &[
            "UISETP.NE.U32.AND UP0, UPT, UR4, URZ, UPT",
            "WARPGROUP.ARRIVE",
            "HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, UP0",
            "EXIT",
        ],
    );
    assert!(cycles >= 11, "{cycles}");
}

#[test]
fn a_transfer_has_read_its_uniform_registers_before_they_change() {
    let codes = controls(90, &["UTMALDG.2D [UR8], [UR16]", "UMOV UR8, 0x1", "NOP", "EXIT"]);
    assert!(waits_for(&codes[1], &codes[0]));
    let codes = controls(90, &["SYNCS.EXCH.64 URZ, [UR7], UR4", "UMOV UR4, 0x1", "NOP", "EXIT"]);
    assert!(waits_for(&codes[1], &codes[0]));
    let codes = controls(90, &["SYNCS.ARRIVE.TRANS64 RZ, [UR7], R2", "UMOV UR7, 0x1", "NOP", "EXIT"]);
    assert!(!waits_for(&codes[1], &codes[0]), "an address is read at issue");
}

#[test]
fn a_barrier_is_reached_only_after_fences_and_initialisations() {
    for before in ["FENCE.VIEW.ASYNC.S", "SYNCS.EXCH.64 URZ, [UR7], UR4"] {
        let codes = controls(90, &[before, "BAR.SYNC.DEFER_BLOCKING 0x0", "EXIT"]);
        assert!(waits_for(&codes[1], &codes[0]), "{before}");
    }
}

#[test]
fn barriers_and_changes_of_the_register_count_keep_their_distances() {
    let stall = |first: &str, second: &str| controls(90, &[first, second, "NOP", "EXIT"])[0].stall;
    for (first, second, cycles) in [
        ("CGAERRBAR", "UCGABAR_ARV", 8),
        ("UCGABAR_ARV", "UCGABAR_WAIT", 6),
        ("BAR.ARV 0x1, 0x100", "BAR.SYNC.DEFER_BLOCKING 0x2, 0x100", 8),
        ("WARPSYNC.ALL", "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8", 9),
        ("WARPSYNC.ALL", "MOV R2, RZ", 5),
        ("UCGABAR_ARV", "MOV R2, RZ", 1),
    ] {
        assert_eq!(stall(first, second), Some(cycles), "{first} before {second}");
    }
}

#[test]
fn a_barrier_has_read_its_number_before_the_register_changes() {
    for barrier in ["BAR.ARV R4, 0x100", "BAR.SYNC.DEFER_BLOCKING R4, 0x100"] {
        let codes = controls(90, &[barrier, "MOV R4, RZ", "NOP", "EXIT"]);
        assert!(waits_for(&codes[1], &codes[0]), "{barrier}");
        let codes = controls(75, &[barrier, "MOV R4, RZ", "NOP", "EXIT"]);
        assert!(!waits_for(&codes[1], &codes[0]), "{barrier} of sm_75");
        // A product writes the register long after its issue.
        let codes = controls(
            90,
            &[barrier, "WARPGROUP.ARRIVE", "HGMMA.64x64x16.F32 R4, gdesc[UR8], RZ, !UPT, gsb0", "EXIT"],
        );
        assert!(waits_for(&codes[1], &codes[0]), "{barrier} before a product");
    }
}

#[test]
fn a_test_of_a_barrier_says_nothing_of_the_addresses_of_earlier_loads() {
    let codes = controls(
        90,
        &[
            "LDS R2, [R24]",
            "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R25",
            "@P0 MOV R3, RZ",
            "WARPGROUP.ARRIVE",
            "HGMMA.64x64x16.F32 R24, gdesc[UR8], RZ, !UPT, gsb0",
            "EXIT",
        ],
    );
    assert!(waits_for(&codes[3], &codes[0]));
}

#[test]
fn a_conversion_by_an_addition_reads_pairs_of_halves_late() {
    let pair = "HMUL2 R4, R2, R3";
    assert_eq!(distance(90, &[pair, "HADD2.F32 R5, -RZ, R4.H0_H0", "EXIT"]), 5);
    assert_eq!(distance(90, &[pair, "HADD2 R5, R4, R6", "EXIT"]), 4);
}

#[test]
fn a_vote_does_not_land_before_an_earlier_comparison() {
    let lines =
        ["UISETP.GT.AND UP0, UPT, UR8, 0x2, UPT", "USEL UR8, UR8, URZ, !UP0", "VOTEU.ANY UP0, P3", "EXIT"];
    let cycles = distance(90, &lines);
    assert!(cycles >= 7, "{cycles}");
}

#[test]
fn a_vote_does_not_change_what_an_earlier_uniform_instruction_reads() {
    let stall = |reader| controls(90, &[reader, "VOTEU.ANY UP0, P3", "NOP", "EXIT"])[0].stall;
    assert!(stall("USEL UR8, UR8, URZ, !UP0") >= Some(3));
    assert_eq!(stall("@UP0 UMOV UR8, 0x1"), Some(1), "a guard is read at issue");
}

#[test]
fn registers_are_given_back_after_all_accesses_and_before_the_next() {
    let codes = controls(
        90,
        &["LDG.E R4, desc[UR4][R2.64]", "USETMAXREG.DEALLOC.CTAPOOL 0x28", "FADD R5, R6, R6", "EXIT"],
    );
    assert!(waits_for(&codes[1], &codes[0]) && waits_for(&codes[2], &codes[1]));
    assert_eq!((codes[1].stall, codes[1].yields), (Some(0), true));
    let codes = controls(
        90,
        &["USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8", "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0", "EXIT"],
    );
    assert!(waits_for(&codes[1], &codes[0]));
}

#[test]
fn a_group_of_transfers_is_counted_by_its_reads() {
    let codes = controls(90, &["UTMASTG.2D [UR8], [UR16]", "UTMACMDFLUSH", "DEPBAR.LE SB0, 0x0", "EXIT"]);
    assert_eq!((codes[1].read_barrier, codes[1].write_barrier), (Some(0), None));
}

#[test]
fn operands_named_again_are_kept() {
    let codes = controls(90, &["FFMA R0, R2, R4, R6", "FFMA R8, R2, R5, R7", "EXIT"]);
    assert_eq!(codes[0].reuse_mask, 1);
    let codes = controls(90, &["FFMA R2, R2, R4, R6", "FFMA R8, R2, R5, R7", "EXIT"]);
    assert_eq!(codes[0].reuse_mask, 0);
}

/// Returns the cycles from the first instruction to the last but one, by stall counts.
fn distance(sm: u16, instructions: &[&str]) -> u8 {
    let codes = controls(sm, instructions);
    codes[..codes.len() - 2].iter().filter_map(|code| code.stall).sum()
}

#[test]
fn both_halves_of_an_added_pair_are_there_as_soon_as_the_low_one_is_read() {
    let between = "IADD3 R6, RZ, -R5, RZ";
    for product in ["IMAD.HI.U32 R7, R10, R11, R8", "IMAD.WIDE.U32 R12, R10, R11, R8"] {
        let low = distance(90, &["MOV R8, RZ", between, product, "EXIT"]);
        let high = distance(90, &["MOV R9, RZ", between, product, "EXIT"]);
        assert!((low, high) == (5, 5), "{product}: {low}, {high}");
    }
    let low = distance(90, &["MOV R8, RZ", between, "IMAD.WIDE.U32 R8, R10, R11, RZ", "EXIT"]);
    let high = distance(90, &["MOV R9, RZ", between, "IMAD.WIDE.U32 R8, R10, R11, RZ", "EXIT"]);
    assert!(low > high, "the low half of a product lands first: {low}, {high}");
    // Without observed distances of halves, either half keeps the distance of the pair.
    assert!(distance(70, &["MOV R8, RZ", between, "IMAD.HI.U32 R7, R10, R11, R8", "EXIT"]) >= 4);
}

#[test]
fn a_wait_counts_as_no_time() {
    let lines =
        |between| ["F2I.U32.TRUNC.NTZ R5, R4", "MOV R8, RZ", between, "IMAD.HI.U32 R7, R10, R11, R8", "EXIT"];
    let stalls = |between| {
        let codes = controls(90, &lines(between));
        (codes[1].stall.unwrap_or(0) + codes[2].stall.unwrap_or(0), codes[2].wait_mask)
    };
    let (idle, waiting) = (stalls("IADD3 R6, RZ, -R14, RZ"), stalls("IADD3 R6, RZ, -R5, RZ"));
    assert!(idle.1 == 0 && waiting.1 != 0 && waiting.0 >= 5 && waiting.0 == idle.0, "{idle:?} {waiting:?}");
}

#[test]
fn waiting_for_all_that_is_under_way_counts_as_no_time() {
    let codes = controls(90, &["MOV R2, RZ", "ERRBAR", "IADD3 R3, R2, R2, RZ", "EXIT"]);
    assert_eq!((codes[0].stall, codes[1].stall), (Some(4), Some(0)));
}

#[test]
fn codes_outside_of_a_range_stay() {
    let lines = ["MOV R2, RZ", "IADD3 R3, R2, R2, RZ", "IADD3 R4, R3, R3, RZ", "EXIT"].map(str::to_owned);
    let listing = listing(90, &lines);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
    let mut program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
    for inst in &mut program.instructions {
        inst.control = Some(Control { stall: Some(9), ..super::plan::plain() });
    }
    let plan = compute(chunk, &program, &Request { range: Some(1..2), ..Request::default() });
    let stalls: Vec<u8> = plan.controls.iter().filter_map(|code| code.stall).collect();
    assert_eq!([stalls[0], stalls[2], stalls[3]], [9; 3]);
    assert!((4..9).contains(&stalls[1]));
}

#[test]
fn kepler_pairs_within_a_word_and_says_cycles_less_one() {
    let codes = controls(35, &["FFMA R0, R2, R3, R4", "FFMA R5, R6, R7, R8", "FFMA R9, R0, R0, R0", "EXIT"]);
    let codes: Vec<u8> = codes.iter().filter_map(|code| Some(code.kepler?.code)).collect();
    assert_eq!(codes[0], 0x04);
    assert_eq!(codes[1] & 0xf0, 0x20);
    assert!(codes[1] & 0xf >= 7, "{codes:x?}");
}

#[test]
fn maxwell_pairs_a_load_with_an_operation() {
    let codes = controls(52, &["FFMA R0, R2, R3, R4", "LDS R5, [R6]", "FADD R7, R5, R5", "EXIT"]);
    assert!(codes[0].dual && codes[0].stall == Some(0));
    let codes = controls(52, &["FFMA R6, R2, R3, R4", "LDS R5, [R6]", "FADD R7, R5, R5", "EXIT"]);
    assert!(!codes[0].dual);
}

#[test]
fn any_text_has_a_plan() {
    for sm in [35, 52, 61, 70, 90, 120] {
        for lines in [&["EXIT"][..], &["BRA 0x0"], &["NONSENSE R255, R0", "RET"], &["BRX R2 -0x6e0", "NOP"]] {
            planned(sm, lines, |_, program, plan| {
                assert_eq!(plan.controls.len(), program.instructions.len());
            });
        }
    }
}

#[test]
fn reordering_fills_the_wait_for_a_load() {
    let mut lines = vec!["LDG.E R2, desc[UR4][R4.64]".to_owned(), "FADD R3, R2, R2".to_owned()];
    lines.extend((10..26).map(|at| format!("FADD R{at}, R30, R{at}")));
    lines.push("EXIT".to_owned());
    let listing = listing(90, &lines);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
    let plan = compute(chunk, &program, &Request { reorder: true, ..Request::default() });
    assert!(plan.order.iter().position(|&inst| inst == 1) > Some(8), "{:?}", plan.order);
    assert!(plan.gains[0].after < plan.gains[0].before);
}

#[test]
fn loads_of_nothing_stay_before_their_copy() {
    let mut lines = vec!["LDG.E R2, desc[UR4][R4.64]".to_owned(), "FADD R3, R2, R2".to_owned()];
    for at in 0..3 {
        lines.push(format!("IADD3 R{}, R{}, 0x10, RZ", 40 + at, 50 + at));
        lines.extend(["@!PT LDS RZ, [RZ]"; 3].map(str::to_owned));
        lines.push(format!("LDGSTS.E.BYPASS.128 [R{}], desc[UR4][R{}.64]", 40 + at, 60 + 2 * at));
        lines.extend((10..16).map(|to| format!("FADD R{to}, R30, R{to}")));
    }
    lines.push("EXIT".to_owned());
    let listing = listing(90, &lines);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
    let plan = compute(chunk, &program, &Request { reorder: true, ..Request::default() });
    assert!(plan.order.iter().enumerate().any(|(place, inst)| place as u32 != *inst), "something moves");
    let copies: Vec<usize> =
        (0..plan.order.len()).filter(|&at| lines[plan.order[at] as usize].starts_with("LDGSTS")).collect();
    assert_eq!(copies.len(), 3);
    for at in copies {
        let own = plan.order[at];
        assert_eq!(plan.order[at - 3..at], [own - 3, own - 2, own - 1], "{:?}", plan.order);
    }
}

/// Returns the instruction with number `kind`, with operands from a few registers.
fn instruction(sm: u16, kind: u8, [d, a, b]: [u16; 3], lines: usize) -> String {
    let (d, a, b) = (2 * d, 2 * a, 2 * b);
    let maxwell = sm < 70;
    let bytes = SmVersion::new(sm).encoding().instruction_bytes() as usize;
    match kind {
        0 => format!("FADD R{d}, R{a}, R{b}"),
        1 => format!("FFMA R{d}, R{a}, R{b}, R{d}"),
        2 if maxwell => format!("IADD R{d}, R{a}, R{b}"),
        2 => format!("IADD3 R{d}, R{a}, R{b}, RZ"),
        3 => format!("ISETP.GE.AND P{}, PT, R{a}, R{b}, PT", d % 4),
        4 => format!("@P{} FMUL R{d}, R{a}, R{b}", b % 4),
        5 => format!("MUFU.RCP R{d}, R{a}"),
        6 => format!("LDS R{d}, [R{a}]"),
        7 => format!("LDS.64 R{d}, [R{a}]"),
        8 => format!("STS [R{a}], R{b}"),
        9 => format!("LDG.E R{d}, [R{a}]"),
        10 => format!("STG.E [R{a}], R{b}"),
        11 => format!("SHFL.BFLY PT, R{d}, R{a}, 0x1, 0x1f"),
        12 => format!("S2R R{d}, SR_TID.X"),
        13 => format!("DFMA R{d}, R{a}, R{b}, R{d}"),
        14 => format!("@P{} BRA {:#x}", d % 4, usize::from(8 * a + b) % lines * bytes),
        15 if maxwell => format!("XMAD R{d}, R{a}, R{b}, RZ"),
        15 => format!("IMAD.WIDE R{d}, R{a}, R{b}, R{d}"),
        16 if sm >= 80 => format!("HMMA.16816.F32 R{}, R{}, R{a}, R{}", d / 4 * 4, a / 4 * 4, d / 4 * 4),
        17 => format!("@!P{} LDG.E R{d}, [R{a}]", b % 4),
        18 => "BAR.SYNC 0x0".to_owned(),
        _ => format!("SEL R{d}, R{a}, R{b}, P{}", d % 4),
    }
}

fn kernel(sm: u16) -> impl Strategy<Value = Vec<String>> {
    let parts = (0_u8..20, [0_u16..6, 0..6, 0..6]);
    prop::collection::vec(parts, 1..40).prop_map(move |parts| {
        let count = parts.len() + 1;
        let lines = parts.into_iter().map(|(kind, registers)| instruction(sm, kind, registers, count));
        lines.chain(["EXIT".to_owned()]).collect()
    })
}

/// True if `order` permutes the instructions of each block such that every read gets its value from the same writers as
/// in the original order.
fn carries_the_same(program: &Program, order: &[u32]) -> bool {
    program.blocks.iter().all(|block| {
        let places = block.instructions.start as usize..block.instructions.end as usize;
        let mut seen = order[places.clone()].to_vec();
        seen.sort_unstable();
        let same_ones = seen.iter().copied().eq(block.instructions.clone());
        let last = |order: &[u32]| values(program, order);
        let old: Vec<u32> = block.instructions.clone().collect();
        same_ones && last(&old) == last(&order[places])
    })
}

/// Returns the writers that may supply the value of each read, by instruction, if the instructions run in this order. The
/// last entry, for instruction `u32::MAX`, has the writers of each register's value at the end.
fn values(program: &Program, order: &[u32]) -> Vec<(u32, Vec<Vec<u32>>)> {
    let mut writers: FxHashMap<Register, Vec<u32>> = FxHashMap::default();
    let mut seen: Vec<(u32, Vec<Vec<u32>>)> = Vec::new();
    for &at in order {
        let inst = &program.instructions[at as usize];
        let reads = program.reads(inst).iter();
        seen.push((
            at,
            reads.map(|access| writers.get(&access.register).cloned().unwrap_or_default()).collect(),
        ));
        for access in program.writes(inst) {
            let own = writers.entry(access.register).or_default();
            if inst.guard.is_none() {
                own.clear();
            }
            own.push(at);
        }
    }
    let mut left: Vec<(Register, Vec<u32>)> = writers.into_iter().collect();
    left.sort_unstable();
    seen.sort_unstable();
    seen.push((u32::MAX, left.into_iter().map(|(_, writers)| writers).collect()));
    seen
}

fn holds(sm: u16, lines: &[String], choices: &[bool], reorder: bool) -> Result<(), TestCaseError> {
    let listing = listing(sm, lines);
    let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("a kernel");
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch);
    let plan = compute(chunk, &program, &Request { reorder, ..Request::default() });
    prop_assert!(carries_the_same(&program, &plan.order));
    prop_assert!(plan.controls.iter().all(|control| is_sayable(sm, control)));
    if plan.notes.is_empty() {
        let arranged = super::text::arranged(&program, &plan.order);
        let kept = run(&arranged, &plan.controls, choices);
        prop_assert!(kept.is_ok(), "{kept:?} {lines:#?} {:#?}", plan.controls);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_dependence_is_kept_along_every_way(
        (sm, lines) in prop::sample::select(vec![52_u16, 70, 75, 80, 90])
            .prop_flat_map(|sm| kernel(sm).prop_map(move |lines| (sm, lines))),
        choices in prop::collection::vec(any::<bool>(), 60),
        reorder in any::<bool>(),
    ) {
        holds(sm, &lines, &choices, reorder)?;
    }
}

#[test]
fn a_value_moves_to_the_other_bank() {
    let lines = [
        "MOV R2, 0x1",
        "MOV R4, 0x2",
        "MOV R6, 0x3",
        "FADD R6, R6, R2",
        "FADD R4, R6, R4",
        "STG.E desc[UR4][R10.64], R4",
        "MOV R3, RZ",
        "MOV R5, RZ",
        "EXIT",
    ];
    let renamings = planned(90, &lines, |_, program, _| super::renamings(program, |_| true));
    assert!(!renamings.is_empty());
    for renaming in &renamings {
        assert!(renaming.from.index % 2 != renaming.to.index % 2, "{renaming:?}");
        assert!(renaming.places.len() >= 2, "{renaming:?}");
    }
}

#[test]
fn registers_of_a_vector_and_those_that_live_on_stay() {
    let lines = [
        "LDG.E.64 R2, desc[UR4][R8.64]",
        "FADD R4, R2, R6",
        "STG.E desc[UR4][R10.64], R4",
        "MOV R5, RZ",
        "EXIT",
    ];
    assert_eq!(planned(90, &lines, |_, program, _| super::renamings(program, |_| true)), []);
    let lines = [
        "MOV R2, 0x1",
        "MOV R4, 0x2",
        "FADD R6, R2, R4",
        "MOV R3, RZ",
        "MOV R5, RZ",
        "CALL.ABS.NOINC `(f)",
        "EXIT",
    ];
    assert_eq!(planned(90, &lines, |_, program, _| super::renamings(program, |_| true)), []);
}
