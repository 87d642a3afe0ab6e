//! The function units that a warp's scheduler dispatches to.

use machine::{Arch, FunctionUnit};

/// Share of an SM's units that one scheduler reaches.
///
/// Equations 4 to 6 divide by "Units", which Table 1 calls the number "in an SM". The single-warp DAG,
/// however, belongs to one scheduler, and Figure 3 says of Kepler that "every two schedulers share 3 x
/// Warp_size SPs", half of the SM's SPs. The equations therefore use the units of one such share: on Kepler
/// 96 of 192 SPs and 16 of 32 LDSTs. On later generations, each scheduler has its own quarter (or half) of
/// the SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerShare {
    schedulers: u32,
    shares: u32,
}

impl SchedulerShare {
    /// Divides the SM into as many equal shares as its schedulers allow, such that a share's SPs are a
    /// multiple or an integer fraction of a warp. 192 SPs form two shares of three warps, not four shares of
    /// one and a half warps.
    pub fn from_arch(arch: &Arch) -> Self {
        let sp = arch.unit(FunctionUnit::Sp).map(|unit| unit.lanes.value);
        Self::new(sp.unwrap_or(0), arch.resources.schedulers.value, arch.resources.warp_size)
    }

    fn new(sp_lanes: u32, schedulers: u32, warp_size: u32) -> Self {
        let schedulers = schedulers.max(1);
        let even = |shares: u32| {
            let lanes = sp_lanes / shares;
            lanes * shares == sp_lanes
                && lanes > 0
                && (lanes.is_multiple_of(warp_size) || warp_size.is_multiple_of(lanes))
        };
        let shares = (1..=schedulers).rev().find(|&shares| schedulers.is_multiple_of(shares) && even(shares));
        Self { schedulers, shares: shares.unwrap_or(schedulers) }
    }

    /// Returns the number of lanes that a scheduler reaches, given the `lanes` of the SM. A unit that all
    /// schedulers share is divided evenly, so the result can be less than one lane.
    pub fn units(self, lanes: u32) -> f64 {
        f64::from(lanes) / f64::from(self.shares)
    }

    /// Returns the number of schedulers that reach the same units.
    pub fn sharing(self) -> u32 {
        self.schedulers / self.shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kepler_shares_by_twos_and_later_ones_not_at_all() {
        let kepler = SchedulerShare::new(192, 4, 32);
        assert_eq!((kepler.units(192), kepler.units(32), kepler.sharing()), (96.0, 16.0, 2));
        let of = |lanes, schedulers| {
            let reach = SchedulerShare::new(lanes, schedulers, 32);
            (reach.units(lanes), reach.sharing())
        };
        assert_eq!(of(128, 4), (32.0, 1));
        assert_eq!(of(64, 2), (32.0, 1));
        assert_eq!(of(64, 4), (16.0, 1));
        assert_eq!(SchedulerShare::new(0, 4, 32).sharing(), 1);
        assert_eq!(of(2, 1), (2.0, 1));
        assert!((SchedulerShare::new(128, 4, 32).units(2) - 0.5).abs() < 1e-12);
    }
}
