//! Cycles of a launch: Equations 16 and 17.

/// Equation 16: `Block_iters = ceil(Blocks / (Active_blocks x NSM))`, the number of times that each SM is
/// filled.
///
/// `None` if no block fits on an SM.
pub fn block_iterations(blocks: u64, active_blocks: u32, sm_count: u32) -> Option<u64> {
    let at_once = u64::from(active_blocks) * u64::from(sm_count);
    (at_once > 0).then(|| blocks.div_ceil(at_once))
}

/// Equation 17: `C_k = C_b x Block_iters`, cycles of the launch.
pub fn kernel_cycles(block_cycles: f64, block_iterations: u64) -> f64 {
    block_cycles * block_iterations as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wave_counts_in_full() {
        assert_eq!(block_iterations(400, 1, 13), Some(31));
        assert_eq!(block_iterations(390, 1, 13), Some(30));
        assert_eq!(block_iterations(0, 1, 13), Some(0));
        assert_eq!(block_iterations(400, 0, 13), None);
        assert!((kernel_cycles(900.0, 31) - 27_900.0).abs() < 1e-9);
    }
}
