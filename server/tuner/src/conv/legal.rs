//! The legal tilings of a convolution.

use super::{Conv, Patches, SPACE, Tiling};
use crate::Estimate;
use crate::kernel::Target;
use machine::Gpu;

/// Blocks of all tilings that are tried: more only add to what the launch itself takes.
const MOST_BLOCKS: u64 = 1 << 20;
/// The fewest filters of a block, which are there for fewer too.
const LEAST_FILTERS: u32 = 8;

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
        let most_threads = sm.max_threads_per_block.value;
        let mut accepts = |values: &[u32]| match *values {
            [thread_k, thread_p, thread_q, thread_n] => {
                // A sum is a register at least.
                thread_k * thread_p * thread_q * thread_n <= sm.max_registers_per_thread.value
            }
            [thread_k, .., block_k] if values.len() == 5 => {
                block_k >= thread_k && block_k < 2 * conv.k.max(LEAST_FILTERS)
            }
            [_, thread_p, .., block_p] if values.len() == 6 => block_p >= thread_p && block_p < 2 * p,
            [_, _, thread_q, .., block_q] if values.len() == 7 => block_q >= thread_q && block_q < 2 * q,
            [thread_k, thread_p, thread_q, thread_n, block_k, block_p, block_q, block_n] => {
                let pixels = (block_p / thread_p) * (block_q / thread_q) * (block_n / thread_n);
                (block_k / thread_k) * pixels <= most_threads
                    && patches.has(&[thread_p, thread_q, thread_n, block_p, block_q, block_n])
            }
            [.., depth, thread_c] if values.len() == 10 => thread_c <= depth,
            [
                thread_k,
                thread_p,
                thread_q,
                thread_n,
                block_k,
                block_p,
                block_q,
                block_n,
                depth,
                thread_c,
                block_c,
            ] => {
                let pixels = (block_p / thread_p) * (block_q / thread_q) * (block_n / thread_n);
                let threads = (block_k / thread_k) * pixels * block_c;
                depth >= thread_c * block_c && (sm.warp_size..=most_threads).contains(&threads)
            }
            [_, _, _, _, block_k, block_p, block_q, block_n, depth, _, _, grid_c] => {
                let tiles = [(conv.n, block_n), (p, block_p), (q, block_q), (conv.k, block_k)];
                let tiles = tiles.map(|(size, block)| u64::from(size.div_ceil(block)));
                grid_c <= steps.div_ceil(depth)
                    && tiles.into_iter().product::<u64>() * u64::from(grid_c) <= MOST_BLOCKS
            }
            [.., vector_filter] if values.len() == 13 => steps.is_multiple_of(vector_filter),
            _ => true,
        };
        let mut keep = |values: &[u32]| {
            let Ok(values) = values.try_into() else { return };
            let tiling = Self::from_values(values);
            if !tiling.fits(conv) {
                return;
            }
            let plan = tiling.legal_plan(conv.element, sm, target);
            let estimate = plan.and_then(|plan| tiling.estimate_of(conv, &plan, gpu));
            if let Some(estimate) = estimate {
                found(tiling, estimate);
            }
        };
        SPACE.search_from(beginning, &mut accepts, &mut keep);
    }
}
