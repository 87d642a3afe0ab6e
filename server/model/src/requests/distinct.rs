//! Different numbers among those of a warp.

use super::LANES;

/// Up to one number a lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    all: [u64; LANES],
    count: usize,
}

impl Numbers {
    pub(super) fn new() -> Self {
        Self { all: [0; LANES], count: 0 }
    }

    /// Does nothing where it is that of the lane before.
    pub(super) fn push(&mut self, number: u64) {
        if self.as_slice().last() != Some(&number) {
            self.all[self.count] = number;
            self.count += 1;
        }
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.all[..self.count]
    }

    /// Each number once, ascending.
    pub(super) fn distinct(mut self) -> Self {
        // Neighbours differ already.
        if self.as_slice().is_sorted() {
            return self;
        }
        let least = self.as_slice().iter().copied().min().unwrap_or(0);
        let mut near = 0_u128;
        if self.as_slice().iter().all(|number| {
            let bit = number - least;
            near |= 1_u128.checked_shl(u32::try_from(bit).unwrap_or(u32::MAX)).unwrap_or(0);
            bit < u64::from(u128::BITS)
        }) {
            self.count = near.count_ones() as usize;
            for number in &mut self.all[..self.count] {
                *number = least + u64::from(near.trailing_zeros());
                near &= near.wrapping_sub(1);
            }
            return self;
        }
        self.all[..self.count].sort_unstable();
        let mut kept = Self::new();
        for &number in self.as_slice() {
            kept.push(number);
        }
        kept
    }
}
