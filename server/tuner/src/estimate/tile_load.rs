//! The work of moving tiles from global into shared memory.

use super::Span;
use crate::kernel::{ContiguousAxis, OperandTile};
use machine::units::{BANK_BYTES, BANKS, LANES, SECTOR_BYTES, WARP_SIZE, WAVEFRONT_BYTES};

/// Number of instructions around a load through registers or around an asynchronous copy: predicate, address, and the
/// zero fill or the size of the copy.
///
/// Source: the code that `kernel/operand.rs` writes.
const AROUND_LOAD: f64 = 3.0;

/// A warp's work to load its elements of a tile, and the L2 traffic of the entire tile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TileLoad {
    pub(crate) instructions: f64,
    /// Number of shared-memory wavefronts.
    pub(crate) wavefronts: f64,
    /// Number of cache lines that pass through the L1 cache.
    pub(crate) lines: f64,
    /// Number of bytes in the sectors that the entire tile touches.
    pub(crate) bytes: f64,
}

impl TileLoad {
    /// Returns the work for a tile of a matrix. `leading` is the stride in elements between columns, or
    /// between rows for a transposed matrix.
    pub(crate) fn of_matrix(operand: &OperandTile, leading: u32, is_asynchronous: bool) -> Self {
        let loads = f64::from(operand.loads_of_thread());
        let element_bytes = operand.element.bytes();
        let bytes = f64::from(operand.vector * element_bytes);
        let warp = f64::from(WARP_SIZE);
        let words = (bytes * warp / f64::from(WAVEFRONT_BYTES)).max(1.0);
        let (along, across, stores, wavefronts) = match operand.contiguous {
            ContiguousAxis::Outer => (operand.outer, operand.depth, loads, loads * words),
            ContiguousAxis::Depth => {
                let stores = loads * f64::from(operand.vector);
                (operand.depth, operand.outer, stores, stores * scattered(operand))
            }
        };
        let lanes = f64::from(along / operand.vector).min(warp);
        // If a tile has fewer vectors than the block has threads, the other threads load nothing.
        let busy = f64::from(along * across / operand.vector) / (loads * f64::from(operand.threads));
        let step = u64::from(leading) * u64::from(element_bytes);
        Self {
            instructions: loads * (1.0 + AROUND_LOAD) + if is_asynchronous { 0.0 } else { stores },
            wavefronts: busy * wavefronts,
            lines: busy * loads * warp / lanes * Span::LINE.under(lanes * bytes, step),
            bytes: Span::SECTOR.under(f64::from(along * element_bytes), step)
                * f64::from(SECTOR_BYTES)
                * f64::from(across),
        }
    }
}

/// Number of wavefronts of a store whose lanes run along the depth: the maximum number of distinct words in one bank.
fn scattered(operand: &OperandTile) -> f64 {
    let bytes = operand.element.bytes();
    let along = operand.depth / operand.vector;
    let mut words = [0; LANES];
    for (word, lane) in words.iter_mut().zip(0..) {
        let (outer, depth) = (lane / along, lane % along * operand.vector);
        *word = (depth * operand.pitch() + outer) * bytes / BANK_BYTES;
    }
    words.sort_unstable();
    let mut banks = [0_u32; BANKS as usize];
    for (at, word) in words.iter().enumerate() {
        // Lanes that access the same word share an access.
        if at == 0 || words[at - 1] != *word {
            banks[(*word % BANKS) as usize] += 1;
        }
    }
    let passes = if bytes > BANK_BYTES { bytes / BANK_BYTES } else { 1 };
    f64::from(banks.into_iter().max().unwrap_or(1).max(passes))
}
