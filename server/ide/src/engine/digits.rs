//! Column widths for the figures of hints.

/// Smallest width, in digits, reserved for latencies: enough for nearly all kernels, so that no other line moves when
/// an edit makes the largest latency of a kernel larger.
pub(crate) const LATENCY_DIGITS: usize = 3; // limit: 999 cycles; larger figures widen the column

/// Smallest width, in digits, reserved for issue cycles.
pub(crate) const CYCLE_DIGITS: usize = 4; // limit: 9,999 cycles; larger figures widen the column

/// Returns the number of decimal digits of the largest figure of a kernel, but at least `least`.
pub(crate) fn digits(largest: Option<u32>, least: usize) -> usize {
    (largest.unwrap_or(0).max(1).ilog10() as usize + 1).max(least)
}
