//! Many warps on one scheduler: Equations 9 and 10.

/// Equation 9: `Interleave = Active_warps / Schedulers`, the number of warps that take turns on a scheduler.
///
/// At least 1. If there are fewer warps than schedulers, each warp has a scheduler to itself and still needs its own
/// cycles.
pub fn interleave(active_warps: u32, schedulers: u32) -> f64 {
    (f64::from(active_warps) / f64::from(schedulers.max(1))).max(1.0)
}

/// Equation 10: `C_b = C_w x Interleave`, cycles of the active blocks of an SM. The result is an upper bound,
/// because no warp's latency overlaps with dispatches of other warps.
pub fn block_cycles(warp_cycles: f64, interleave: f64) -> f64 {
    warp_cycles * interleave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_take_turns() {
        assert!((interleave(8, 4) - 2.0).abs() < 1e-12);
        assert!((interleave(1, 4) - 1.0).abs() < 1e-12);
        assert!((block_cycles(450.0, interleave(8, 4)) - 900.0).abs() < 1e-9);
    }
}
