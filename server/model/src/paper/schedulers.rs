//! Several schedulers: Equation 8.

/// Equation 8: the instructions that all schedulers together dispatch to a unit in a cycle, `Dispatches_u =
/// sum over s < S of Dispatches_u^s`.
pub fn dispatches(of_schedulers: impl IntoIterator<Item = u32>) -> u32 {
    of_schedulers.into_iter().sum()
}

/// Returns the cycles that schedulers need for dispatches to shared units, if each scheduler can pick an
/// instruction that fits.
///
/// This is Equation 8, summed over a region of code instead of a cycle. Equation 4's rounding up does not
/// apply: the paper lets "the warp scheduling algorithm choose the best strategy to fill instruction
/// pipelines". The paper's 1-2-2-1 pattern therefore fills all units, although a cycle in which two
/// schedulers dual-issue would need more units than exist. `dispatches` counts the dispatches of one
/// scheduler; `units` counts the lanes that `schedulers` schedulers share.
pub fn shared_cycles(dispatches: f64, schedulers: u32, warp_size: u32, units: f64) -> f64 {
    dispatches * f64::from(schedulers) * f64::from(warp_size) / units.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::efficiency::compute_efficiency;

    /// Figure 3: four schedulers each issue two IMULs in a cycle. Every two schedulers share SPs for three warps, but
    /// issue four IMULs, so E_SP is 1/2.
    #[test]
    fn figure_3_eight_multiplications_over_four_schedulers() {
        let warp_size = 32;
        let sharing = dispatches([2, 2]);
        assert_eq!(sharing, 4);
        let sp = compute_efficiency(sharing, warp_size, f64::from(3 * warp_size));
        assert!((sp.value() - 0.5).abs() < 1e-12);
        // The same over the whole SM.
        let all = dispatches([2; 4]);
        assert_eq!(all, 8);
        assert!((compute_efficiency(all, warp_size, f64::from(6 * warp_size)).value() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn half_dual_issued_fills_the_units() {
        // Six FFMAs in the four cycles of 1-2-2-1, from two schedulers that share 96 lanes.
        assert!((shared_cycles(6.0, 2, 32, 96.0) - 4.0).abs() < 1e-12);
    }
}
