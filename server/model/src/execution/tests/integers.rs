//! Integer division, as the compiler writes it for Hopper: a reciprocal in floating point, then two corrections.

use super::Kernel;
use crate::address::WarpThreads;
use proptest::prelude::*;

/// Quotient, remainder and product of `tid * am + ak` and `tid * bm + bk`, each as the address of a load. The product
/// comes last, plus `tid`. Compiled with ptxas 12 for sm_90.
const UNSIGNED: &str = include_str!("listings/div_u32.sass");
const SIGNED: &str = include_str!("listings/div_s32.sass");

fn results(text: &str, [am, ak, bm, bk]: [u32; 4]) -> Vec<[u32; 32]> {
    let kernel = Kernel::of_text(90, text);
    let block = [32, 1, 1];
    let mut launch = kernel.launch([1; 3], block);
    launch.constants.extend([(0x210, am), (0x214, ak), (0x218, bm), (0x21c, bk)]);
    let events = kernel.run(&launch, &WarpThreads::first(block));
    let is_load = |inst: u32| {
        kernel.program.instructions[inst as usize]
            .memory
            .is_some_and(|m| m.space == machine::MemorySpace::Shared)
    };
    let loads = events.iter().filter(|(ran, _)| is_load(ran.inst));
    loads
        .map(|(ran, request)| {
            assert_eq!(ran.access, super::AccessState::Known, "{ran:?}");
            request.addresses.map(|address| address as u32)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_quotient_of_unsigned_numbers(
        am in any::<u32>(), ak in any::<u32>(), bm in prop_oneof![0..100_u32, any::<u32>()], bk in prop_oneof![1..2000_u32, any::<u32>()],
    ) {
        let found = results(UNSIGNED, [am, ak, bm, bk]);
        for lane in 0..32_u32 {
            let (a, b) = (lane.wrapping_mul(am).wrapping_add(ak), lane.wrapping_mul(bm).wrapping_add(bk));
            let at = lane as usize;
            if let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) {
                prop_assert_eq!((found[0][at], found[1][at]), (quotient, rest), "{} / {}", a, b);
            }
            prop_assert_eq!(found[2][at], a.wrapping_mul(b).wrapping_add(lane));
        }
    }

    #[test]
    fn the_quotient_of_signed_numbers(
        am in any::<i32>(), ak in any::<i32>(), bm in prop_oneof![-100..100_i32, any::<i32>()], bk in prop_oneof![-500..500_i32, any::<i32>()],
    ) {
        let found = results(SIGNED, [am, ak, bm, bk].map(i32::cast_unsigned));
        for lane in 0..32_i32 {
            let (a, b) = (lane.wrapping_mul(am).wrapping_add(ak), lane.wrapping_mul(bm).wrapping_add(bk));
            let at = lane as usize;
            if let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) {
                let found = (found[0][at].cast_signed(), found[1][at].cast_signed());
                prop_assert_eq!(found, (quotient, rest), "{} / {}", a, b);
            }
        }
    }
}
