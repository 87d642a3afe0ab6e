//! The four bottlenecks, 0 (best) to 1 (worst): Equations 18 to 21.

/// Equation 18: `B_ilp = 1 - max over u of C_wu / C_weff`.
///
/// C_wu (`unit_cycles`) is the number of cycles in which a warp dispatches to unit u. C_weff (`dispatch_cycles`) is the
/// number of cycles that the warp would need if all latencies were zero. `None` if no instruction is dispatched.
pub fn ilp(unit_cycles: impl IntoIterator<Item = f64>, dispatch_cycles: f64) -> Option<f64> {
    let longest = unit_cycles.into_iter().fold(0.0, f64::max);
    (dispatch_cycles > 0.0).then(|| clamp(1.0 - longest / dispatch_cycles))
}

/// Equation 19: `B_comp = 1 - sum of E x Dispatches x Warp_size / sum of Units`, over instructions on SPs and SFUs.
///
/// `lanes_used` and `lanes_there` are the two sums, in lanes times cycles. Each dispatch cycle of an instruction on SPs
/// or SFUs offers Units lanes. With the E and Dispatches of each single pair, the paper's 1-2-2-1 pattern would be 44 %
/// idle, while section 4.1.2 says that the pattern "eliminates B_comp". Dispatches therefore include all schedulers
/// that share the units (Equation 8). Both sums run over a region of code before the division, and no more lanes are
/// counted as used than exist. `None` if the region has no instructions on SPs or SFUs.
pub fn comp(lanes_used: f64, lanes_there: f64) -> Option<f64> {
    (lanes_there > 0.0).then(|| clamp(1.0 - lanes_used / lanes_there))
}

/// Equation 20: `B_mem = 1 - sum of E x Ins_width x Warp_size / sum of Max_width`, over instructions on LDST units.
///
/// The equation as printed divides bits (or bytes) per lane by a bandwidth. Here both sums are in bytes per cycle.
/// `achieved` is the rate of the instructions at their efficiency. `possible` is the maximum rate of accesses of any
/// width to the same space. `None` if there are no instructions on LDST units.
pub fn mem(achieved: f64, possible: f64) -> Option<f64> {
    (possible > 0.0).then(|| clamp(1.0 - achieved / possible))
}

/// Equation 21: `B_pipe = sum of Latency_i / (C_weff x Interleave)`, over the latencies on the critical path.
///
/// The result is 1 if the latencies exceed the dispatch cycles. `None` if no instruction is dispatched.
pub fn pipe(critical_latency: f64, dispatch_cycles: f64, interleave: f64) -> Option<f64> {
    let dispatched = dispatch_cycles * interleave;
    (dispatched > 0.0).then(|| clamp(critical_latency / dispatched))
}

fn clamp(value: f64) -> f64 {
    value.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(value: Option<f64>, expected: f64) {
        assert!((value.expect("there is work") - expected).abs() < 1e-12, "{value:?} is not {expected}");
    }

    #[test]
    fn a_unit_that_is_busy_all_the_time_leaves_nothing_to_overlap() {
        is(ilp([4.0, 2.0], 4.0), 0.0);
        is(ilp([2.0, 3.0], 6.0), 0.5);
        assert_eq!(ilp([], 0.0), None);
    }

    #[test]
    fn single_issued_instructions_leave_a_third_of_kepler_idle() {
        // Two schedulers on 96 lanes: "If we single-issue FFMA, only 2/3 SPs are utilized".
        is(comp(64.0, 96.0), 1.0 / 3.0);
        is(comp(128.0, 96.0), 0.0);
        assert_eq!(comp(0.0, 0.0), None);
    }

    #[test]
    fn narrow_loads_leave_half_the_bandwidth() {
        is(mem(4.0 * 32.0 / 2.0, 8.0 * 32.0 / 2.0), 0.5);
        is(mem(128.0, 128.0), 0.0);
    }

    #[test]
    fn other_warps_hide_latency() {
        is(pipe(100.0, 400.0, 1.0), 0.25);
        is(pipe(100.0, 400.0, 2.0), 0.125);
        is(pipe(1000.0, 4.0, 1.0), 1.0);
        assert_eq!(pipe(0.0, 0.0, 1.0), None);
    }
}
