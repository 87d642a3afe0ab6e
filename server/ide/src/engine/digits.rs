//! Room for the figures of hints.

/// The most digits that latencies of nearly all kernels have. Hints always have room for this many, so that no other
/// line moves when an edit makes the largest figure of a kernel larger.
pub(crate) const LATENCY_DIGITS: usize = 3; // limit: 999 cycles; larger figures widen the column

/// The same of issue cycles.
pub(crate) const CYCLE_DIGITS: usize = 4; // limit: 9,999 cycles; larger figures widen the column

/// Returns the digits of the largest figure of a kernel, but no fewer than `least`.
pub(crate) fn digits(largest: Option<u32>, least: usize) -> usize {
    (largest.unwrap_or(0).max(1).ilog10() as usize + 1).max(least)
}
