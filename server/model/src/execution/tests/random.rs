//! Random straight-line programs, on known and unknown numbers.

use super::{Kernel, registers};
use crate::address::WarpThreads;
use crate::address::tests::random::{Operation, REGISTERS, operations};
use crate::execution::{AccessState, SampleLimits, Survey, Warp};
use proptest::prelude::*;
use std::fmt::Write;

/// Returns the registers of a lane after the operations, and the text of each operation. `unknown` is the initial value
/// of the last register.
fn reference(operations: &[Operation], lane: u32, unknown: u32) -> (Vec<u32>, Vec<String>) {
    let mut registers = vec![lane, lane & 7, 0x40, 5, 0xffff_fff0, lane.wrapping_mul(12), 0x20, unknown];
    let mut predicate = lane < 9;
    let mut text = Vec::new();
    for operation in operations {
        let (line, result, holds) = operation.run(&registers, predicate);
        registers[usize::from(operation.to)] = result;
        predicate = holds;
        text.push(line);
    }
    (registers, text)
}

fn set_up(last: &str) -> Vec<String> {
    [
        "S2R R0, SR_TID.X",
        "LOP3.LUT R1, R0, 0x7, RZ, 0xc0, !PT",
        "MOV R2, 0x40",
        "MOV R3, 0x5",
        "MOV R4, 0xfffffff0",
        "IMAD R5, R0, 0xc, RZ",
        "MOV R6, 0x20",
        last,
        "ISETP.LT.AND P0, PT, R0, 0x9, PT",
    ]
    .map(str::to_owned)
    .to_vec()
}

const ALL: [u8; REGISTERS as usize] = [0, 1, 2, 3, 4, 5, 6, 7];

proptest! {
    #[test]
    fn a_warp_computes_what_its_lanes_do(operations in operations(), last in any::<u32>()) {
        let mut lines = set_up(&format!("MOV R7, {last:#x}"));
        lines.extend(reference(&operations, 0, last).1);
        for (register, found) in registers(90, &[], &lines, &ALL).iter().enumerate() {
            for lane in 0..32 {
                let expected = reference(&operations, lane, last).0[register];
                prop_assert_eq!(found.map(|found| found[lane as usize]), Some(expected), "R{} in {:#?}", register, lines);
            }
        }
    }

    /// Known values do not depend on the contents of memory.
    #[test]
    fn what_is_known_does_not_depend_on_what_is_not(operations in operations(), held in any::<[u32; 6]>()) {
        let mut lines = set_up("LDG.E R7, desc[UR4][R8.64]");
        lines.extend(reference(&operations, 0, 0).1);
        for (register, found) in registers(90, &[], &lines, &ALL).iter().enumerate() {
            let Some(found) = found else { continue };
            for (lane, held) in (0..32).flat_map(|lane| held.map(|held| (lane, held))) {
                let expected = reference(&operations, lane, held).0[register];
                prop_assert_eq!(found[lane as usize], expected, "R{} of lane {} in {:#?}", register, lane, lines);
            }
        }
    }

    /// For any text, a warp runs to its end or to the limit.
    #[test]
    fn no_text_panics_or_runs_on(
        lines in prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(vec![
                    "S2R R0, SR_TID.X", "@!P0 BRA 0x10", "BRA 0x40", "@P1 BRA 0x80", "VIADD R2, R2, 0x4", "EXIT", "RET",
                    "ISETP.GE.AND P0, PT, R2, 0x40, PT", "ISETP.GE.AND P1, PT, R0, 0x7, PT", "LDS R4, [R2+UR4]", "BRX R2 -0x6e0",
                    "BSSY B0, 0x50", "BSYNC B0", "BREAK B0", "@P0 BREAK B1", "BSSY B15, 0x20", "BSYNC B15", "@P1 BSYNC B0", "BSSY B0",
                    "BSYNC", "WARPSYNC 0xffffffff", "@P0 EXIT", "@P1 EXIT", "CALL.REL.NOINC 0x20", "CALL.ABS 0x99990", "CAL 0x10",
                    "RET.REL.NODEC R4 0x0", "@P1 RET", "SSY 0x40", "SYNC", "@P1 SYNC", "PBK 0x60", "BRK", "@P0 BRK", "PCNT 0x10", "CONT",
                    "BRA !PT, 0x10", "BRA P0, 0x0", "BRA.U !UP0, 0x20", "BRA 0x0", "STL [R0], R2", "LDL R2, [R0]", "LDL.128 R2, [RZ]",
                    "STL.64 [R2+0x4], R4", "LDG.E R250, desc[UR255][R255.64+0x10]", "P2R R3, PR, RZ, 0x7f", "R2P PR, R3, 0x7f",
                    "VOTE.ANY R2, PT, P0", "SHFL.IDX PT, R2, R0, R3, 0x1f", "SHFL.UP", "LEA.HI R1, R2, R3, R4, 0x99", "SHF.L R0",
                    "LOP3.LUT R0, R0", "FROB R2, R2", "IMAD R99999, R255, R1, R4294967295", "XMAD.PSL.CBCC R0, R0.H1, R3.H1",
                    "LDGSTS.E.128 [R7], desc[UR4][R2.64]", "LDSM.16.M88.4 R4, [R2]", "BFE R1, R2, 0xffffffff", "IADD3.X R3, R5, ~R4, -R3, P0",
                    "ISETP.GT.AND.EX P0, PT, R1, R2, PT, P1", "BAR.SYNC 0x0", "NOP", "ATOMS.ADD R2, [R0], R3", "LDC R2, c[0x0][R2]",
                ]).prop_map(str::to_owned),
                1 => "[A-Z0-9.]{1,8} [PRU]?[0-9]{0,3}(, ?[-~!|]?[RPUc]?[0-9\\[\\]x]{0,6}){0,4}",
            ],
            1..40,
        ),
        sm in prop::sample::select(vec![35_u16, 52, 75, 90, 120]),
        trips in prop::collection::btree_map((0..40_u32).prop_map(|at| at * 16), 0..9_u64, 0..5),
    ) {
        let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
        for (index, line) in lines.iter().enumerate() {
            writeln!(text, "        /*{:04x}*/                   {line} ;", index * 16).unwrap();
        }
        if !syntax::sass::Listing::parse(&text).chunks().iter().any(|chunk| !chunk.instructions().is_empty()) {
            return Ok(());
        }
        let kernel = Kernel::of_text(sm, &text);
        let mut launch = kernel.launch([3, 2, 1], [20, 3, 1]);
        launch.trips = trips;
        let code = kernel.code(&launch);
        let effort = SampleLimits { warps: 8, instructions: 400 };
        let survey = Survey::run(&code, &kernel.gpu.arch, &launch, effort);
        let all: f64 = survey.counts.iter().map(|counts| counts.executed * survey.warps as f64).sum();
        prop_assert!(survey.warps <= effort.warps && all <= effort.instructions as f64 * 4.0, "{} of {}", all, survey.warps);
        for counts in &survey.counts {
            prop_assert!((0.0..=32.0).contains(&counts.lanes));
        }
        // A warp never has a lane in two places, nor a lane that its block does not have.
        let place = WarpThreads { block: launch.block, warp: 1, ctaid: [0; 3] };
        let mut warp = Warp::new(&code, &launch, &place);
        for _ in 0..400 {
            let Some(ran) = warp.step(&code) else { break };
            prop_assert!(ran.lanes != 0 && ran.lanes >> 28 == 0 && ran.active & !ran.lanes == 0, "{:?}", ran);
            prop_assert!(ran.access != AccessState::Known || warp.request().active == ran.active);
            prop_assert!(warp.next().is_none_or(|next| (next as usize) < code.len()));
        }
    }
}
