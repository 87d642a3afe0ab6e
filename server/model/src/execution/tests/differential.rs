//! Compares two sources of an address: the affine form that the analysis returns, and the execution of the warp.

use super::Kernel;
use crate::address::tests::random::{REGISTERS, operations};
use crate::address::{Symbol, WarpThreads};
use crate::execution::AccessState;
use proptest::prelude::*;

const POINTER: u32 = 0x210;
/// The branch that ends the loop.
const BRANCH: usize = 12;
const PARAM: (u32, u32) = (0x228, 0x9abc_def1);

proptest! {
    /// Straight-line programs of the same operations as in the tests of the address analysis.
    #[test]
    fn forms_say_what_warps_ask_for(operations in operations(), warp in 0..12_u32, ctaid in [0..9_u32, 0..5_u32, 0..3_u32]) {
        let mut lines: Vec<String> = [
            "S2R R0, SR_TID.X", "S2R R1, SR_TID.Y", "S2R R2, SR_TID.Z", "LDC R3, c[0x0][0x228]", "S2R R4, SR_CTAID.X",
            "S2R R5, SR_LANEID", "IMAD.MOV.U32 R6, RZ, RZ, 0x20", "MOV R7, RZ", "ISETP.EQ.AND P0, PT, R0, R1, PT",
        ].map(str::to_owned).to_vec();
        lines.extend(operations.iter().map(|operation| operation.run(&[0; 8], false).0));
        lines.extend((0..REGISTERS).map(|register| format!("LDS.U8 R16, [R{register}]")));
        let kernel = Kernel::new(90, &lines);
        let addresses = kernel.addresses();
        let mut launch = kernel.launch([9, 5, 3], [24, 8, 2]);
        launch.constants.insert(PARAM.0, PARAM.1);
        let place = WarpThreads { block: launch.block, warp, ctaid };
        for (ran, request) in kernel.run(&launch, &place) {
            let Some(form) = addresses.access(ran.inst as usize).filter(|_| ran.access == AccessState::Known) else { continue };
            for lane in (0..32).filter(|lane| ran.active >> lane & 1 == 1) {
                let [x, y, z] = place.tid(lane, 32).unwrap();
                let value = |symbol| Some(i64::from(match symbol {
                    Symbol::TidX => x,
                    Symbol::TidY => y,
                    Symbol::TidZ => z,
                    Symbol::Lane => lane,
                    Symbol::CtaidX => ctaid[0],
                    Symbol::Param(offset) if offset == PARAM.0 => PARAM.1,
                    _ => return None,
                }));
                let found = addresses.evaluate(form, value).map(|found| found as u32);
                prop_assert_eq!(found, Some(request.addresses[lane as usize] as u32), "lane {} of {:#?}", lane, lines);
            }
        }
    }

    /// Loops whose counter is the index of the iteration.
    #[test]
    fn forms_follow_a_loop_pass_by_pass(
        step in prop_oneof![1..64_u32, Just(0x1000), (1..40_u32).prop_map(u32::wrapping_neg)],
        stride in 0..300_u32,
        block_stride in 0..5000_u32,
        passes in 1..12_u32,
        size in prop::sample::select(vec![1_u32, 4, 12, 16]),
        ctaid in 0..7_u32,
    ) {
        let lines = [
            "S2R R0, SR_TID.X".to_owned(),
            "S2R R1, SR_CTAID.X".to_owned(),
            format!("IMAD R2, R0, {stride:#x}, RZ"),
            format!("IMAD R2, R1, {block_stride:#x}, R2"),
            "IADD3 R2, R2, 0x100000, RZ".to_owned(),
            "MOV R3, RZ".to_owned(),
            "head:".to_owned(),
            format!("IMAD.WIDE R4, R2, {size:#x}, c[0x0][{POINTER:#x}]"),
            "LDG.E.U8 R8, desc[UR4][R4.64+0x40]".to_owned(),
            "LDS.U8 R9, [R2+-0x8]".to_owned(),
            format!("IADD3 R2, R2, {step:#x}, RZ"),
            "IADD3 R3, R3, 0x1, RZ".to_owned(),
            format!("ISETP.LT.AND P0, PT, R3, {passes:#x}, PT"),
            "@P0 BRA (head)".to_owned(),
            "EXIT".to_owned(),
        ];
        let kernel = Kernel::new(90, &lines);
        let addresses = kernel.addresses();
        prop_assert_eq!(addresses.trips(BRANCH), Some(passes));
        let mut launch = kernel.launch([7, 1, 1], [64, 1, 1]);
        launch.point(POINTER, "arg0".into(), None);
        let place = WarpThreads { block: launch.block, warp: 1, ctaid: [ctaid, 0, 0] };
        let events = kernel.run(&launch, &place);
        for inst in [7, 8] {
            let form = addresses.access(inst as usize);
            let own: Vec<_> = events.iter().filter(|(ran, _)| ran.inst == inst).collect();
            prop_assert_eq!(own.len(), passes as usize);
            let form = form.expect("the address is a sum");
            for (pass, (ran, request)) in (0_i64..).zip(own) {
                prop_assert_eq!(ran.access, AccessState::Known);
                for lane in 0..32 {
                    let value = |symbol| Some(match symbol {
                        Symbol::TidX => i64::from(32 + lane),
                        Symbol::CtaidX => ctaid.into(),
                        Symbol::Pointer(POINTER) => crate::Launch::ARRAY_SPACING.cast_signed(),
                        Symbol::Loop(at) if at as usize == BRANCH => pass,
                        _ => return None,
                    });
                    let found = addresses.evaluate(form, value).map(i64::cast_unsigned);
                    prop_assert_eq!(found, Some(request.addresses[lane as usize]), "{} in pass {} of {:#?}", inst, pass, lines);
                }
            }
        }
    }
}
