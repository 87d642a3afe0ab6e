//! Quantities computed from columns.
//!
//! Equations (2) and (3) of the paper list the components of a kernel's time: the arithmetic and the memory
//! instructions of a thread (`i_arith`, `i_mem`), the time of each instruction, and the warps that hide
//! latency (`n`). A layer over logarithms cannot form sums, or quotients that are rounded up. It can form
//! products of powers, but these are computed too, to simplify the training.

use super::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES};
use crate::ProblemKind;

/// Maximum number of inputs of a derived quantity. limit: for an array of fixed length.
pub(super) const MAX_INPUTS: usize = 8;

/// A named quantity that is computed from columns.
#[derive(Debug)]
pub(super) struct DerivedQuantity {
    pub(super) name: &'static str,
    /// Columns and other derived quantities, in the order in which `compute` reads them.
    pub(super) inputs: &'static [&'static str],
    pub(super) compute: fn(&[f64; MAX_INPUTS]) -> f64,
    /// True if the quantity is 0 or 1. The network then receives no logarithm of it.
    pub(super) is_indicator: bool,
}

impl DerivedQuantity {
    pub(super) fn for_kind(kind: ProblemKind) -> impl Iterator<Item = &'static Self> {
        let own: &[Self] = match kind {
            ProblemKind::Gemm => GEMM,
            ProblemKind::Conv => CONV,
        };
        ANY.iter().chain(own)
    }

    pub(super) fn named(kind: ProblemKind, name: &str) -> Option<&'static Self> {
        Self::for_kind(kind).find(|derived| derived.name == name)
    }
}

const fn indicator(
    name: &'static str,
    inputs: &'static [&'static str],
    compute: fn(&[f64; MAX_INPUTS]) -> f64,
) -> DerivedQuantity {
    DerivedQuantity { name, inputs, compute, is_indicator: true }
}

const fn quantity(
    name: &'static str,
    inputs: &'static [&'static str],
    compute: fn(&[f64; MAX_INPUTS]) -> f64,
) -> DerivedQuantity {
    DerivedQuantity { name, inputs, compute, is_indicator: false }
}

/// Derived quantities that apply to all kinds of problems.
const ANY: &[DerivedQuantity] = &[
    // Arithmetic rates are not a power of the element size: halves are multiplied in pairs.
    indicator("is_f16", &[ELEMENT_BYTES], |x| f64::from(u8::from(x[0] < 3.0))),
    indicator("is_f64", &[ELEMENT_BYTES], |x| f64::from(u8::from(x[0] > 6.0))),
    // Waves of blocks, and the filled fraction of the last wave. `resident_blocks` is the number of blocks
    // that the GPU holds at once. Not all data have this column.
    quantity("waves", &["blocks", "resident_blocks"], |x| x[0] / x[1].max(1.0)),
    quantity("wave_efficiency", &["waves"], |x| x[0] / x[0].ceil().max(1.0)),
];

/// If this number divides a size, every row begins at a sector boundary, for any element type.
///
/// Source: a sector has 32 bytes, and the smallest element has 2.
const MAX_ALIGNED: u64 = 16;

fn alignment(x: &[f64; MAX_INPUTS]) -> f64 {
    let size = x[0] as u64 | MAX_ALIGNED;
    (1_u64 << size.trailing_zeros()) as f64
}

const GEMM: &[DerivedQuantity] = &[
    // Strides of loads depend on both transpositions together.
    indicator("both_transposed", &[A_TRANSPOSED, B_TRANSPOSED], |x| x[0] * x[1]),
    // Complete vectors and complete sectors: the largest power of two that divides a size, up to the number
    // of halves in a sector.
    quantity("alignment_m", &["m"], alignment),
    quantity("alignment_n", &["n"], alignment),
    quantity("alignment_k", &["k"], alignment),
    // Arithmetic intensity of the problem: operations per byte that must be moved at least once.
    quantity("least_bytes", &["m", "n", "k", ELEMENT_BYTES], |x| {
        (x[0] * x[2] + x[2] * x[1] + x[0] * x[1]) * x[3]
    }),
    quantity("operations", &["m", "n", "k"], |x| 2.0 * x[0] * x[1] * x[2]),
    quantity("operations_per_byte", &["operations", "least_bytes"], |x| x[0] / x[1]),
    // `n` of equation (2): threads per block, blocks of the grid, threads of the grid.
    quantity("threads", &["block_m", "thread_m", "block_n", "thread_n", "block_k"], |x| {
        x[0] / x[1] * (x[2] / x[3]) * x[4]
    }),
    quantity("blocks_m", &["m", "block_m"], |x| (x[0] / x[1]).ceil()),
    quantity("blocks_n", &["n", "block_n"], |x| (x[0] / x[1]).ceil()),
    quantity("blocks", &["blocks_m", "blocks_n", "grid_k"], |x| x[0] * x[1] * x[2]),
    quantity("grid_threads", &["blocks", "threads"], |x| x[0] * x[1]),
    // Fraction of the tiles' work that is inside C, section 8.1.
    quantity("filled", &["m", "n", "blocks_m", "block_m", "blocks_n", "block_n"], |x| {
        x[0] * x[1] / (x[2] * x[3] * x[4] * x[5])
    }),
    // Passes of the main loop, and the fraction of the passes that is within K.
    quantity("steps", &["k", "grid_k", "depth"], |x| ((x[0] / x[1]).ceil() / x[2]).ceil()),
    quantity("filled_k", &["k", "steps", "depth", "grid_k"], |x| x[0] / (x[1] * x[2] * x[3])),
    // `i_arith` of equation (3): products per thread.
    quantity("products", &["thread_m", "thread_n", "steps", "depth", "block_k"], |x| {
        x[0] * x[1] * x[2] * x[3] / x[4]
    }),
    // `i_mem` of equation (3): load requests of a thread per pass. Then the bytes that all blocks load.
    quantity("loads", &["block_m", "vector_a", "block_n", "vector_b", "depth", "threads"], |x| {
        (x[0] / x[1] + x[2] / x[3]) * x[4] / x[5]
    }),
    quantity("loaded_bytes", &["block_m", "block_n", "depth", "steps", "blocks", ELEMENT_BYTES], |x| {
        (x[0] + x[1]) * x[2] * x[3] * x[4] * x[5]
    }),
    // Products per element that a block reads from memory, and per element that a thread reads from shared memory.
    quantity("block_reuse", &["block_m", "block_n"], |x| x[0] * x[1] / (x[0] + x[1])),
    quantity("thread_reuse", &["thread_m", "thread_n"], |x| x[0] * x[1] / (x[0] + x[1])),
    // Resources that limit the resident blocks of an SM.
    quantity("shared_bytes", &["block_m", "block_n", "depth", "stages", ELEMENT_BYTES], |x| {
        (x[0] + x[1]) * x[2] * x[3] * x[4]
    }),
    quantity("register_bytes", &["thread_m", "thread_n", "thread_k", ELEMENT_BYTES], |x| {
        (x[0] * x[1] * x[2] + (x[0] + x[1]) * x[2]) * x[3]
    }),
    // Elements of C that are added across the grid.
    quantity("summed", &["m", "n", "grid_k"], |x| x[0] * x[1] * x[2]),
];

const CONV: &[DerivedQuantity] = &[
    quantity("alignment_q", &["q"], alignment),
    // The sizes of the implicit matrix product: N P Q pixels, K filters, C R S steps.
    quantity("pixels", &["n", "p", "q"], |x| x[0] * x[1] * x[2]),
    quantity("channel_steps", &["c", "r", "s"], |x| x[0] * x[1] * x[2]),
    quantity("alignment_steps", &["channel_steps"], alignment),
    quantity("operations", &["pixels", "k", "channel_steps"], |x| 2.0 * x[0] * x[1] * x[2]),
    quantity("least_bytes", &["n", "c", "h", "w", "k", "channel_steps", "pixels", ELEMENT_BYTES], |x| {
        (x[0] * x[1] * x[2] * x[3] + x[4] * x[5] + x[6] * x[4]) * x[7]
    }),
    quantity("operations_per_byte", &["operations", "least_bytes"], |x| x[0] / x[1]),
    quantity("block_pixels", &["block_p", "block_q", "block_n"], |x| x[0] * x[1] * x[2]),
    quantity("thread_pixels", &["thread_p", "thread_q", "thread_n"], |x| x[0] * x[1] * x[2]),
    quantity("threads", &["block_pixels", "thread_pixels", "block_k", "thread_k", "block_c"], |x| {
        x[0] / x[1] * (x[2] / x[3]) * x[4]
    }),
    quantity("pixel_blocks", &["n", "block_n", "p", "block_p", "q", "block_q"], |x| {
        (x[0] / x[1]).ceil() * (x[2] / x[3]).ceil() * (x[4] / x[5]).ceil()
    }),
    quantity("filter_blocks", &["k", "block_k"], |x| (x[0] / x[1]).ceil()),
    quantity("blocks", &["pixel_blocks", "filter_blocks", "grid_c"], |x| x[0] * x[1] * x[2]),
    quantity("grid_threads", &["blocks", "threads"], |x| x[0] * x[1]),
    quantity("filled", &["pixels", "k", "pixel_blocks", "block_pixels", "filter_blocks", "block_k"], |x| {
        x[0] * x[1] / (x[2] * x[3] * x[4] * x[5])
    }),
    quantity("steps", &["channel_steps", "grid_c", "depth"], |x| ((x[0] / x[1]).ceil() / x[2]).ceil()),
    quantity("filled_steps", &["channel_steps", "steps", "depth", "grid_c"], |x| x[0] / (x[1] * x[2] * x[3])),
    quantity("products", &["thread_pixels", "thread_k", "steps", "depth", "block_c"], |x| {
        x[0] * x[1] * x[2] * x[3] / x[4]
    }),
    quantity("loads", &["block_pixels", "block_k", "vector_filter", "depth", "threads"], |x| {
        (x[0] + x[1] / x[2]) * x[3] / x[4]
    }),
    quantity("loaded_bytes", &["block_pixels", "block_k", "depth", "steps", "blocks", ELEMENT_BYTES], |x| {
        (x[0] + x[1]) * x[2] * x[3] * x[4] * x[5]
    }),
    quantity("block_reuse", &["block_pixels", "block_k"], |x| x[0] * x[1] / (x[0] + x[1])),
    quantity("thread_reuse", &["thread_pixels", "thread_k"], |x| x[0] * x[1] / (x[0] + x[1])),
    quantity("shared_bytes", &["block_pixels", "block_k", "depth", "stages", ELEMENT_BYTES], |x| {
        (x[0] + x[1]) * x[2] * x[3] * x[4]
    }),
    quantity("register_bytes", &["thread_pixels", "thread_k", "thread_c", ELEMENT_BYTES], |x| {
        (x[0] * x[1] * x[2] + (x[0] + x[1]) * x[2]) * x[3]
    }),
    quantity("summed", &["pixels", "k", "grid_c"], |x| x[0] * x[1] * x[2]),
];
