//! Def-use chains and live registers of short programs.

use super::{Definitions, Liveness, ReachingWrites};
use crate::fixture::decode;
use crate::{Program, Register, RegisterFile};

fn general(index: u16) -> Register {
    Register { file: RegisterFile::General, index }
}

fn chains(program: &Program) -> Definitions {
    Definitions::compute(program, &program.arch.isa)
}

fn reaching(program: &Program, inst: u32, register: Register) -> ReachingWrites {
    chains(program).reaching(program, inst, register)
}

#[test]
fn a_guarded_write_leaves_the_one_before_it() {
    let program =
        decode(90, &["MOV R0, 0x1", "MOV R0, 0x2", "@P0 MOV R0, 0x3", "IADD3 R1, R0, R0, RZ", "EXIT"]);
    assert_eq!(reaching(&program, 3, general(0)), ReachingWrites { writes: vec![1, 2], from_entry: false });
    assert_eq!(chains(&program).uses(&program, 0, general(0)), []);
    assert_eq!(chains(&program).uses(&program, 1, general(0)), [3]);
}

#[test]
fn a_loop_carries_its_own_write() {
    let program = decode(90, &["MOV R0, RZ", "IADD3 R0, R0, 0x1, RZ", "@P0 BRA 0x10", "EXIT"]);
    assert_eq!(reaching(&program, 1, general(0)), ReachingWrites { writes: vec![0, 1], from_entry: false });
    let web = chains(&program).web(&program, 0, general(0), true);
    assert_eq!(web.into_keys().collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn what_nothing_wrote_comes_from_before_the_kernel() {
    let program = decode(90, &["IADD3 R0, R5, R6, RZ", "EXIT"]);
    assert_eq!(reaching(&program, 0, general(5)), ReachingWrites { writes: vec![], from_entry: true });
}

#[test]
fn a_call_leads_through_its_function() {
    // 0: writes; 1: calls 4; 2: reads what 4 wrote; 5: returns.
    let program = decode(
        90,
        &[
            "MOV R17, 0x1",
            "CALL.REL.NOINC 0x40",
            "IADD3 R0, R17, 0x1, RZ",
            "EXIT",
            "MOV R17, 0x2",
            "RET.REL.NODEC R20 0x0",
        ],
    );
    let found = reaching(&program, 2, general(17)).writes;
    assert!(found.contains(&4), "{found:?}");
    assert_eq!(chains(&program).uses(&program, 4, general(17)), [2]);
}

#[test]
fn a_call_elsewhere_may_write_what_it_need_not_keep() {
    let program = decode(90, &["MOV R4, 0x1", "CALL.ABS.NOINC `(other)", "IADD3 R0, R4, R16, RZ", "EXIT"]);
    assert_eq!(reaching(&program, 2, general(4)).writes, [0, 1]);
    assert_eq!(reaching(&program, 2, general(16)), ReachingWrites { writes: vec![], from_entry: true });
}

#[test]
fn a_value_lives_from_its_write_to_its_last_read() {
    let program = decode(90, &["MOV R4, 0x1", "MOV R5, 0x2", "IADD3 R6, R4, R5, RZ", "EXIT"]);
    let liveness = Liveness::compute(&program, &program.arch.isa);
    // The stack pointer is live throughout.
    let counts: Vec<u16> = (0..4).map(|inst| liveness.counts(inst).general).collect();
    assert_eq!(counts, [2, 3, 4, 1]);
    assert_eq!(liveness.max().general, 4);
    let live = liveness.live_in(&program, 2..3).remove(0);
    assert_eq!(live, [general(1), general(4), general(5), general(6)]);
}

#[test]
fn any_program_has_chains() {
    for lines in [&["EXIT"][..], &["BRA 0x0"], &["NONSENSE R255, R0", "RET"]] {
        let program = decode(90, lines);
        let liveness = Liveness::compute(&program, &program.arch.isa);
        for inst in 0..program.instructions.len() {
            liveness.live_in(&program, inst..inst + 1);
            reaching(&program, inst as u32, general(0));
        }
    }
}
