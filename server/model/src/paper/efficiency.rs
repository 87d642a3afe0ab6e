//! Cost of dispatching an instruction: Algorithm 1 with Equations 4 to 6.

use std::ops::Range;

/// The paper's E: the reciprocal of the number of cycles for which dispatching a warp's instructions occupies a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Efficiency {
    /// Cycles of the dispatch, at least 1.
    dispatch_cycles: u32,
}

impl Efficiency {
    /// Efficiency of a dispatch in one cycle.
    pub const FULL: Self = Self { dispatch_cycles: 1 };

    /// Creates the efficiency of a dispatch in `dispatch_cycles` cycles, at least one.
    pub fn of_cycles(dispatch_cycles: u32) -> Self {
        Self { dispatch_cycles: dispatch_cycles.max(1) }
    }

    /// Returns 1/E, in cycles.
    pub fn dispatch_cycles(self) -> u32 {
        self.dispatch_cycles
    }

    /// Returns E, 0 < E <= 1.
    pub fn value(self) -> f64 {
        1.0 / f64::from(self.dispatch_cycles)
    }
}

/// Equation 4: `E_u = 1 / ceil(Dispatches_u x Warp_size / Units_u)`.
///
/// `dispatches` is the number of instructions that are dispatched together to the unit (Algorithm 1, or
/// Equation 8's sum). `units` is the number of lanes that these instructions reach, see
/// [`super::units::SchedulerShare`].
pub fn compute_efficiency(dispatches: u32, warp_size: u32, units: f64) -> Efficiency {
    Efficiency::of_cycles(cycles_on_units(dispatches, warp_size, units))
}

/// Equation 5: `E_shared = 1 / (N x ceil(Dispatches_LDST x Warp_size / Units_LDST) x ceil(Ins_width / Bank_width))`.
///
/// `conflicts` (N) is the number of threads of a warp that access one bank, 1 without a conflict. Widths are
/// in bytes, and `ins_width` is per lane. The paper prints the index of Dispatches and Units as `dst`, but
/// the surrounding prose names the LDST units.
pub fn shared_efficiency(
    conflicts: u32,
    dispatches: u32,
    warp_size: u32,
    units: f64,
    ins_width: u32,
    bank_width: u32,
) -> Efficiency {
    let words = ins_width.div_ceil(bank_width.max(1)).max(1);
    let cycles = cycles_on_units(dispatches, warp_size, units);
    Efficiency::of_cycles(conflicts.max(1).saturating_mul(cycles).saturating_mul(words))
}

/// Equation 6: `E_global = 1 / (N x ceil(Dispatches_LDST x Warp_size / Units_LDST))`.
///
/// `transactions` (N): see [`coalesced_transactions`].
pub fn global_efficiency(transactions: u32, dispatches: u32, warp_size: u32, units: f64) -> Efficiency {
    let cycles = cycles_on_units(dispatches, warp_size, units);
    Efficiency::of_cycles(transactions.max(1).saturating_mul(cycles))
}

/// N of Equation 6 for a warp whose lanes read or write neighbouring words: one transaction for each 128 bytes.
///
/// Source: section 3.1.2 ("32, 64, or 128 bytes memory transactions"; "if the required bytes is greater than 128,
/// multiple transactions are required").
pub fn coalesced_transactions(ins_width: u32, warp_size: u32) -> u32 {
    const LARGEST_TRANSACTION_BYTES: u32 = 128; // Source: section 3.1.2
    ins_width.saturating_mul(warp_size).div_ceil(LARGEST_TRANSACTION_BYTES).max(1)
}

fn cycles_on_units(dispatches: u32, warp_size: u32, units: f64) -> u32 {
    let lanes = f64::from(dispatches) * f64::from(warp_size);
    // The cast saturates, so that an unreachable unit has the maximum cost.
    (lanes / units.max(f64::MIN_POSITIVE)).ceil().max(1.0) as u32
}

/// Returns the issue groups of `range`, single instructions or pairs: lines 11 to 19 of Algorithm 1.
///
/// `dual(i)` is true if instruction `i` pairs with instruction `i + 1`. No pair extends past the end of the
/// range.
pub fn issue_groups(range: Range<u32>, dual: impl Fn(u32) -> bool) -> impl Iterator<Item = Range<u32>> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        if next >= range.end {
            return None;
        }
        let start = next;
        next += if dual(start) && start + 1 < range.end { 2 } else { 1 };
        Some(start..next)
    })
}

/// Returns the number of instructions in a group that use the same unit as instruction `index`: lines 20 to
/// 24 of Algorithm 1.
pub fn dispatches<U: PartialEq>(group: Range<u32>, index: u32, unit: impl Fn(u32) -> U) -> u32 {
    let own = unit(index);
    group.filter(|&other| unit(other) == own).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instruction_on_enough_units_takes_a_cycle() {
        assert_eq!(compute_efficiency(1, 32, 96.0), Efficiency::FULL);
        assert_eq!(compute_efficiency(2, 32, 96.0), Efficiency::FULL);
        assert_eq!(compute_efficiency(4, 32, 96.0).dispatch_cycles(), 2);
        assert_eq!(compute_efficiency(1, 32, 0.5).dispatch_cycles(), 64);
        assert_eq!(compute_efficiency(1, 32, 0.0).dispatch_cycles(), u32::MAX);
    }

    #[test]
    fn a_bank_conflict_or_a_wide_word_issues_again() {
        let kepler = |conflicts, width| shared_efficiency(conflicts, 1, 32, 16.0, width, 8).dispatch_cycles();
        assert_eq!([kepler(1, 4), kepler(1, 8), kepler(1, 16), kepler(2, 8)], [2, 2, 4, 4]);
        assert_eq!(shared_efficiency(1, 1, 32, 32.0, 8, 4).dispatch_cycles(), 2);
        assert!((shared_efficiency(4, 1, 32, 32.0, 4, 4).value() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_warp_moves_128_bytes_in_a_transaction() {
        assert_eq!([1, 2, 4, 8, 16].map(|width| coalesced_transactions(width, 32)), [1, 1, 1, 2, 4]);
        assert_eq!(global_efficiency(coalesced_transactions(16, 32), 1, 32, 16.0).dispatch_cycles(), 8);
    }

    #[test]
    fn pairs_issue_together_and_share_their_unit() {
        // The paper's 1-2-2-1: alone, a pair, a pair, and the last with an instruction of another unit.
        let duals = [false, true, false, true, false, true, false];
        let groups: Vec<_> = issue_groups(0..7, |i| duals[i as usize]).collect();
        assert_eq!(groups, [0..1, 1..3, 3..5, 5..7]);
        let unit = |i: u32| if i == 6 { "LDST" } else { "SP" };
        assert_eq!(dispatches(1..3, 1, unit), 2);
        assert_eq!(dispatches(5..7, 5, unit), 1);
        assert!(issue_groups(0..1, |_| true).eq(std::iter::once(0..1)));
        assert_eq!(issue_groups(0..3, |_| true).collect::<Vec<_>>(), [0..2, 2..3]);
    }
}
