//! The legal tilings of a convolution.

use super::{Conv, Patches, Tiling};
use crate::Estimate;
use crate::kernel::Target;
use crate::legal::{MAX_BLOCKS, is_near, search};
use machine::Gpu;

impl Tiling {
    /// The tilings of [`crate::Problem::each_legal`].
    pub(super) fn each_legal(
        conv: &Conv,
        patches: &Patches,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Self, Estimate),
    ) {
        let (sm, target) = (&gpu.arch.resources, Target { sm: gpu.part.sm });
        let (p, q, steps) = (conv.p(), conv.q(), conv.steps());
        let max_threads = sm.max_threads_per_block.value;
        let accepts = |values: &[u32]| {
            let own = Self::beginning(values);
            let threads = || own.threads().threads();
            match values.len() {
                // The sums of a thread are known. Each sum takes at least one register.
                4 => {
                    let sums = own.thread_k * own.thread_pixels().iter().product::<u32>();
                    sums <= sm.max_registers_per_thread.value
                }
                // The block's filters are known.
                5 => own.block_k >= own.thread_k && is_near(own.block_k, conv.k),
                // The block's rows and columns are known.
                6 => own.block_p >= own.thread_p && own.block_p < 2 * p,
                7 => own.block_q >= own.thread_q && own.block_q < 2 * q,
                // All pixels of the block are known.
                8 => threads() <= max_threads && patches.has(&own.patch()),
                // The thread's sums along the depth are known.
                10 => own.thread_c <= own.depth,
                // The block's groups of threads are known.
                11 => {
                    own.depth >= own.thread_c * own.block_c
                        && (sm.warp_size..=max_threads).contains(&threads())
                }
                // The grid is known.
                12 => {
                    let [n, p, q] = own.tiles(conv);
                    let tiles = [n, p, q, conv.k.div_ceil(own.block_k)].map(u64::from);
                    own.grid_c <= steps.div_ceil(own.depth)
                        && tiles.into_iter().product::<u64>() * u64::from(own.grid_c) <= MAX_BLOCKS
                }
                13 => steps.is_multiple_of(own.vector_filter),
                _ => true,
            }
        };
        let estimate = |tiling: &Self| {
            let plan = tiling.legal_plan(conv.element, sm, target);
            plan.and_then(|plan| tiling.estimate(conv, &plan, gpu))
        };
        search(conv, beginning, &accepts, &estimate, found);
    }
}
