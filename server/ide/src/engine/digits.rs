//! Column widths for the figures of hints.

/// Smallest width, in digits, reserved for latencies. Enough for nearly all kernels, so the column rarely
/// shifts when an edit raises the largest latency.
pub(crate) const LATENCY_DIGITS: usize = 3; // limit: 999 cycles; larger figures widen the column

/// Smallest width, in digits, reserved for issue cycles.
pub(crate) const CYCLE_DIGITS: usize = 4; // limit: 9,999 cycles; larger figures widen the column

/// Returns the number of decimal digits of a kernel's largest figure, at least `least`.
pub(crate) fn digits(largest: Option<u32>, least: usize) -> usize {
    (largest.unwrap_or(0).max(1).ilog10() as usize + 1).max(least)
}
