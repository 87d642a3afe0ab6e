//! The legal tilings of a shape.

use super::{Gemm, SPACE, Tiling};
use crate::Estimate;
use crate::kernel::Target;
use machine::Gpu;

/// Blocks of all tilings that are tried: more only add to what the launch itself takes.
const MOST_BLOCKS: u64 = 1 << 20;
/// Blocks along the second axis of a grid. Source: CUDA C++ programming guide, table of compute capabilities.
const MOST_BLOCKS_OF_COLUMNS: u32 = 65_535;

impl Tiling {
    /// The tilings of [`crate::Problem::each_legal`].
    pub(super) fn each_legal(
        gemm: &Gemm,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Self, Estimate),
    ) {
        let (sm, target) = (&gpu.arch.resources, Target { sm: gpu.part.sm });
        let kind = gemm.into();
        let is_near = |block: u32, size: u32| block < 2 * size.max(LEAST_BLOCK);
        let mut accepts = |values: &[u32]| match *values {
            [thread_m, .., block_m] if values.len() == 3 => block_m >= thread_m && is_near(block_m, gemm.m),
            [thread_m, thread_n, block_m, block_n] => {
                let threads = (block_m / thread_m) * (block_n / thread_n.min(block_n));
                block_n >= thread_n && is_near(block_n, gemm.n) && threads <= sm.max_threads_per_block.value
            }
            [.., depth, thread_k] if values.len() == 6 => thread_k <= depth,
            [thread_m, thread_n, block_m, block_n, depth, thread_k, block_k] => {
                let threads = (block_m / thread_m) * (block_n / thread_n) * block_k;
                depth >= thread_k * block_k
                    && (sm.warp_size..=sm.max_threads_per_block.value).contains(&threads)
            }
            [_, _, block_m, block_n, depth, _, _, grid_k] => {
                let columns = gemm.n.div_ceil(block_n);
                let blocks = u64::from(gemm.m.div_ceil(block_m)) * u64::from(columns);
                columns <= MOST_BLOCKS_OF_COLUMNS
                    && grid_k <= gemm.k.div_ceil(depth)
                    && blocks * u64::from(grid_k) <= MOST_BLOCKS
            }
            _ => true,
        };
        let mut keep = |values: &[u32]| {
            let Ok(values) = values.try_into() else { return };
            let tiling = Self::from_values(values);
            if !tiling.fits(gemm) {
                return;
            }
            let plan = tiling.legal_plan(kind, sm, target);
            let estimate = plan.and_then(|plan| tiling.estimate_of(gemm, &plan, gpu));
            if let Some(estimate) = estimate {
                found(tiling, estimate);
            }
        };
        SPACE.search_from(beginning, &mut accepts, &mut keep);
    }
}

/// The smallest block along an axis, which is there for sizes below it too.
const LEAST_BLOCK: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Problem};
    use machine::Machine;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn all_are_what_uniform_sampling_accepts_but_for_blocks_over_the_edge() {
        let gemm =
            Gemm { m: 96, n: 40, k: 64, element: Element::F32, a_transposed: false, b_transposed: true };
        let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
        let (sm, target) = (&gpu.arch.resources, Target { sm: 90 });
        let all = gemm.all_legal(&gpu);
        let mut random = StdRng::seed_from_u64(1);
        let mut met = 0;
        for _ in 0..400_000 {
            let values = SPACE.uniform(&mut random);
            let tiling = Tiling::from_values(values.try_into().expect("eleven values"));
            if tiling.is_legal((&gemm).into(), sm, target) && tiling.fits(&gemm) {
                met += 1;
                let is_over = tiling.block_m >= 192 || tiling.block_n >= 80;
                assert_eq!(all.binary_search(&tiling).is_err(), is_over, "{tiling}");
            }
        }
        assert!(met > 100, "{met} legal samples");
    }
}
