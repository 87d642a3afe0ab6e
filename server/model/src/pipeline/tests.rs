mod memory;

use super::views::{Pipe, PipePressure, Region, StallReasons};
use super::{
    Code, InstructionPath, Issue, NoPath, Path, Reason, Stop, View, block_issues, loop_times, simulate,
};
use crate::Program;
use machine::Machine;
use syntax::sass::Listing;

/// Decodes instructions with their control codes, one per line, as `CuAssembler` writes them.
fn code(sm: u16, body: &str) -> (Program, Option<Code>) {
    let text = format!(".__elf_type ET_EXEC\n.text.kernel:\n{body}");
    let listing = Listing::parse(&text);
    let chunk =
        listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("there is code");
    assert!(chunk.errors().is_empty(), "{:?} in {text}", chunk.errors());
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch);
    let code = Code::new(chunk, &program, |_| None);
    (program, code)
}

fn hopper(body: &str) -> (Program, Code) {
    let (program, code) = code(90, body);
    (program, code.expect("sm_90 is calibrated"))
}

const LOAD_AND_USE: &str = "\
[B------:R-:W0:-:S01] LDS R0, [R2] ;
[B------:R-:W-:-:S01] IADD3 R4, R6, R8, RZ ;
[B0-----:R-:W-:-:S01] FADD R1, R0, R3 ;
[B------:R-:W-:Y:S05] EXIT ;
";

const LOOP: &str = "\
[B------:R-:W-:-:S01] MOV R0, RZ ;
.L_x_0:
[B------:R-:W-:-:S01] FFMA R2, R3, R4, R5 ;
[B------:R-:W-:-:S04] IADD3 R0, R0, 0x1, RZ ;
[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R0, 0x10, PT ;
[B------:R-:W-:Y:S05] @!P0 BRA `(.L_x_0) ;
[B------:R-:W-:Y:S05] EXIT ;
";

#[test]
fn a_wait_is_named_after_what_holds_the_scoreboard() {
    let (program, code) = hopper(LOAD_AND_USE);
    let issues = block_issues(&code, &program);
    assert_eq!(issues[0].cycle, 0);
    assert_eq!(issues[1].cycle, 1);
    assert_eq!(issues[2].stall.reason, Reason::ShortScoreboard);
    assert_eq!(issues[2].stall.on, Some(0));
    // A load of one word, without conflicts, as in micro-benchmarks.
    assert_eq!(issues[2].cycle, 23);
    assert_eq!(issues[2].stall.cycles, 21);
}

#[test]
fn a_stall_count_is_a_wait_for_the_instruction_before() {
    let (program, code) =
        hopper("[B------:R-:W-:-:S06] FADD R0, R1, R2 ;\n[B------:R-:W-:-:S01] FADD R3, R0, R2 ;\n");
    let issue = block_issues(&code, &program)[1];
    assert_eq!((issue.cycle, issue.stall.cycles), (6, 5));
    assert_eq!((issue.stall.reason, issue.stall.on), (Reason::Wait, Some(0)));
}

#[test]
fn a_busy_pipe_throttles() {
    let body = "[B------:R-:W-:-:S01] IADD3 R0, R1, R2, RZ ;\n[B------:R-:W-:-:S01] IADD3 R3, R5, R4, RZ ;\n";
    let (program, code) = hopper(body);
    let issue = block_issues(&code, &program)[1];
    assert_eq!((issue.cycle, issue.stall.reason), (2, Reason::MathPipeThrottle));
}

#[test]
fn what_the_block_before_set_counts() {
    // With a stall count of 1 the wait would come before it can be seen.
    let body = "\
[B------:R-:W0:-:S02] LDS R0, [R2] ;
.L_x_0:
[B0-----:R-:W-:-:S01] FADD R1, R0, R3 ;
[B------:R-:W-:Y:S05] @P0 BRA `(.L_x_0) ;
";
    let (program, code) = hopper(body);
    let issue = block_issues(&code, &program)[1];
    assert_eq!(issue.cycle, 0);
    assert_eq!((issue.stall.reason, issue.stall.cycles), (Reason::ShortScoreboard, 22));
}

#[test]
fn nothing_is_said_of_gpus_that_were_not_measured_nor_without_codes() {
    assert!(code(80, LOAD_AND_USE).1.is_none());
    assert!(code(90, "      IADD3 R0, R1, R2, RZ ;\n").1.is_none());
}

#[test]
fn a_loop_runs_for_its_stated_trip_count() {
    let (program, code) = hopper(LOOP);
    let way = |trips| InstructionPath::between(&program, |_| trips, 1, 5);
    assert_eq!(way(None).unwrap_err(), NoPath::Trips { address: 0x40 });
    let issued =
        |trips| simulate(&code, &way(Some(trips)).unwrap().path, 1, 1000, &mut StallReasons::default());
    assert_eq!(issued(1), Ok(5));
    assert_eq!(issued(16), Ok(4 * 16 + 1));
    assert_eq!(issued(1000), Err(Stop::TooLong));
}

#[test]
fn a_way_that_the_code_does_not_lead_is_none() {
    let (program, _) = hopper(LOAD_AND_USE);
    let back = InstructionPath::between(&program, |_| None, 2, 1).unwrap_err();
    assert_eq!(back, NoPath::NotReached { from: 0x20, to: 0x10 });
    assert_eq!(back.to_string(), "no path leads from 0x0020 to 0x0010");
}

#[test]
fn an_end_in_a_loop_is_reached_once() {
    let body = "\
.L_x_0:
[B------:R-:W-:-:S01] MOV R0, RZ ;
.L_x_1:
[B------:R-:W-:-:S01] FFMA R2, R3, R4, R5 ;
[B------:R-:W-:-:S04] IADD3 R0, R0, 0x1, RZ ;
[B------:R-:W-:Y:S05] @!P0 BRA `(.L_x_1) ;
[B------:R-:W-:Y:S05] @P1 BRA `(.L_x_0) ;
[B------:R-:W-:Y:S05] EXIT ;
";
    let (program, code) = hopper(body);
    for (first, last, rounds) in [(0, 1, 1), (0, 3, 2), (0, 4, 1), (1, 2, 2)] {
        let way = InstructionPath::between(&program, |_| Some(7), first, last).unwrap();
        assert_eq!(way.path.rounds, rounds, "{first} to {last}");
        let mut view = Region::new(first, last, way.path.rounds, 1);
        simulate(&code, &way.path, 1, 1000, &mut view).unwrap();
        assert!(view.cycles().is_some(), "{first} to {last}");
    }
}

#[test]
fn a_trip_of_a_loop_has_cycles_and_a_limit() {
    let (program, code) = hopper(LOOP);
    let times = loop_times(&code, &program);
    let [time] = &times[..] else { panic!("{times:?}") };
    assert_eq!((time.start, time.branch), (1, 4));
    // 1 + 4 + 13 by the stall counts, and 10 for the branch.
    assert!((time.cycles_per_trip - 28.0).abs() < 1e-9, "{time:?}");
    // Two of four instructions go through the ALU, which takes two cycles for each; four issue slots take as long.
    assert!(matches!(time.limiter, Pipe::Alu | Pipe::Issue), "{time:?}");
    assert_eq!(time.warps_to_hide, Some(4 * 7));
}

#[test]
fn warps_of_one_sub_core_share_its_issue_slot() {
    let body = "[B------:R-:W-:-:S01] FADD R0, R1, R2 ;\n".repeat(32);
    let (program, code) = hopper(&body);
    let cycles = |warps| {
        let way = InstructionPath::between(&program, |_| None, 0, 31).unwrap();
        let mut view = Region::new(0, 31, way.path.rounds, warps);
        simulate(&code, &way.path, warps, 100_000, &mut view).unwrap();
        view.cycles().unwrap()
    };
    // Four sub-cores: four warps do not compete.
    assert_eq!(cycles(1), cycles(4));
    assert!(cycles(8) >= 2 * 32 - 1, "{}", cycles(8));
}

#[test]
fn high_products_of_several_warps_follow_each_other_at_their_interval() {
    const PRODUCTS: u32 = 64;
    let body = "[B------:R-:W-:-:S02] IMAD.HI.U32 R0, R1, R2, R3 ;\n".repeat(PRODUCTS as usize);
    let (program, code) = hopper(&body);
    let way = InstructionPath::between(&program, |_| None, 0, PRODUCTS - 1).unwrap();
    for warps in [4, 16] {
        let mut view = Region::new(0, PRODUCTS - 1, way.path.rounds, warps);
        simulate(&code, &way.path, warps, 100_000, &mut view).unwrap();
        // Each sub-core runs a quarter of the warps. The measured interval is 4 cycles, whatever their number.
        let interval = view.cycles().unwrap() as f64 / f64::from(PRODUCTS * warps / 4);
        assert!((3.8..4.4).contains(&interval), "{warps} warps: {interval}");
    }
}

#[test]
fn a_barrier_lets_all_go_on_once_the_last_is_there() {
    struct After(u32, Vec<u64>);
    impl View for After {
        fn issued(&mut self, issue: &Issue) -> bool {
            if issue.inst == self.0 {
                self.1.push(issue.cycle);
            }
            true
        }
    }
    let body = "\
[B------:R-:W-:-:S01] FADD R0, R1, R2 ;
[B------:R-:W-:-:S01] FADD R3, R4, R5 ;
[B------:R-:W-:-:S01] BAR.SYNC.DEFER_BLOCKING 0x0 ;
[B------:R-:W-:-:S01] FADD R6, R7, R8 ;
";
    let (_, code) = hopper(body);
    let path = Path { start: 0, end: 3, rounds: 1, ..Path::default() };
    let mut view = After(3, Vec::new());
    assert_eq!(simulate(&code, &path, 16, 1000, &mut view), Ok(4 * 16));
    // Four warps of each sub-core, one after another.
    let (first, last) = (view.1.iter().min().unwrap(), view.1.iter().max().unwrap());
    assert_eq!(last - first, 3);
}

#[test]
fn views_tell_what_took_the_time() {
    let (program, code) = hopper(LOAD_AND_USE);
    let way = InstructionPath::between(&program, |_| None, 0, 2).unwrap();
    let mut view = (StallReasons::default(), PipePressure::new(&code));
    simulate(&code, &way.path, 1, 100, &mut view).unwrap();
    let (stalls, pressure) = view;
    assert_eq!(stalls.total()[0], (Reason::ShortScoreboard, 21));
    assert!(pressure.busy().any(|busy| busy == (Pipe::Alu, 2)));
}

#[test]
fn a_view_can_end_a_simulation() {
    struct Ends;
    impl View for Ends {
        fn issued(&mut self, _: &Issue) -> bool {
            false
        }
    }
    let (_, code) = hopper(LOAD_AND_USE);
    let path = Path { start: 0, end: 3, rounds: 1, ..Path::default() };
    assert_eq!(simulate(&code, &path, 1, 100, &mut Ends), Err(Stop::Cancelled));
}
