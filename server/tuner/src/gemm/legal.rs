//! The legal tilings of a matrix multiplication.

use super::{Gemm, Tiling};
use crate::Estimate;
use crate::kernel::Target;
use crate::legal::{MAX_BLOCKS, is_near, search};
use machine::{Gpu, LaunchLimits};

impl Tiling {
    /// The tilings of [`crate::Problem::each_legal`].
    pub(super) fn each_legal(
        gemm: &Gemm,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Self, Estimate),
    ) {
        let (sm, target) = (&gpu.arch.resources, Target { sm: gpu.part.sm });
        let (kind, max_columns) = (gemm.into(), LaunchLimits::builtin().grid[1].value);
        let accepts = |values: &[u32]| {
            let own = Self::beginning(values);
            let threads = || own.threads().threads();
            match values.len() {
                // The block's rows are known.
                3 => own.block_m >= own.thread_m && is_near(own.block_m, gemm.m),
                // The block's columns are known.
                4 => {
                    own.block_n >= own.thread_n
                        && is_near(own.block_n, gemm.n)
                        && threads() <= sm.max_threads_per_block.value
                }
                // The thread's sums are known.
                6 => own.thread_k <= own.depth,
                // The block's groups of threads are known.
                7 => {
                    own.depth >= own.thread_k * own.block_k
                        && (sm.warp_size..=sm.max_threads_per_block.value).contains(&threads())
                }
                // The grid is known.
                8 => {
                    let columns = gemm.n.div_ceil(own.block_n);
                    let blocks = u64::from(gemm.m.div_ceil(own.block_m)) * u64::from(columns);
                    columns <= max_columns
                        && own.grid_k <= gemm.k.div_ceil(own.depth)
                        && blocks * u64::from(own.grid_k) <= MAX_BLOCKS
                }
                _ => true,
            }
        };
        let estimate = |tiling: &Self| {
            tiling.legal_plan(kind, sm, target).and_then(|plan| tiling.estimate(gemm, &plan, gpu))
        };
        search(gemm, beginning, &accepts, &estimate, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::SPACE;
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
            if gemm.is_legal(&tiling, sm, target) && tiling.fits(&gemm) {
                met += 1;
                let is_over = tiling.block_m >= 192 || tiling.block_n >= 80;
                assert_eq!(all.binary_search(&tiling).is_err(), is_over, "{tiling}");
            }
        }
        assert!(met > 100, "{met} legal samples");
    }
}
