//! Cost of one memory request of a warp, computed from the lane addresses and the rules of the architecture.
//! Shared memory costs wavefronts; global memory costs sectors, lines and tag look-ups.

mod banks;

mod global;
mod numbers;
mod shared;
#[cfg(test)]
mod tests;

pub use banks::{BankPicture, banks};
pub use global::{Sectors, global, global_reduction, is_reduction};
use numbers::LaneNumbers;
pub use shared::{SharedKind, Wavefronts, shared};

use machine::units::LANES;

/// A memory request of one warp: the byte address of each active lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Mask of the active lanes.
    pub active: u32,
    /// Byte address of each lane; arbitrary for inactive lanes.
    pub addresses: [u64; LANES],
}

impl Request {
    /// True if each active lane's address is a multiple of `bytes`, which is a power of two.
    pub(crate) fn is_aligned(&self, bytes: u32) -> bool {
        let low_bits = u64::from(bytes) - 1;
        let takes_part = |lane: usize| u64::from(self.active >> lane & 1).wrapping_neg();
        let each = self.addresses.iter().enumerate();
        each.fold(0, |all, (lane, address)| all | (address & takes_part(lane))) & low_bits == 0
    }

    /// Returns the number of different addresses of the active lanes.
    pub(crate) fn distinct(&self) -> u64 {
        LaneNumbers::from_lanes(self, self.active).distinct().len().into()
    }

    /// True if lanes n and n ^ 1 have equal addresses for all n, or if lanes n and n ^ 2 have equal addresses
    /// for all n. Pairs with an inactive lane are ignored.
    fn has_pairs(&self) -> bool {
        let is_paired = |apart: usize| {
            let both = self.active & (self.active >> apart);
            let mut firsts = lanes_of(both).filter(|lane| lane & apart == 0);
            firsts.all(|lane| self.addresses[lane] == self.addresses[lane + apart])
        };
        is_paired(1) || is_paired(2)
    }
}

/// Iterates over the lanes whose bits are set in `mask`, in ascending order.
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Returns the mask of `count` consecutive lanes, starting at lane `first`.
fn mask_of(first: u32, count: u32) -> u32 {
    let all = if count >= LANES as u32 { u32::MAX } else { (1 << count) - 1 };
    all.checked_shl(first).unwrap_or(0)
}
