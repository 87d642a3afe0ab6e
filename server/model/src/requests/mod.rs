//! What one request of a warp costs: wavefronts of shared memory, sectors, lines and tag look-ups of global memory, from
//! its lanes' addresses and the architecture's rules.

mod banks;
mod distinct;
mod global;
mod shared;
#[cfg(test)]
mod tests;

pub use banks::{BankPicture, banks};
pub use global::{Sectors, global};
pub use shared::{SharedKind, Wavefronts, shared};

/// Threads of a warp.
const LANES: usize = 32;

/// One request of a warp: the byte address of each lane that takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// One bit a lane.
    pub active: u32,
    /// Of lanes that take no part, any number.
    pub addresses: [u64; LANES],
}

impl Request {
    /// The lanes that take part, ascending, each with its address.
    fn lanes(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        lanes_of(self.active).map(|lane| (lane, self.addresses[lane]))
    }

    /// Whether every lane's address is a multiple of what it moves; a lane moves `bytes`, as a power of two.
    fn is_aligned(&self, bytes: u32) -> bool {
        let low_bits = u64::from(bytes) - 1;
        self.lanes().fold(0, |all, (_, address)| all | address) & low_bits == 0
    }
}

/// The numbers of the bits that are set, ascending.
fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The lanes from `first` on, so many of them.
fn mask_of(first: u32, count: u32) -> u32 {
    let all = if count >= LANES as u32 { u32::MAX } else { (1 << count) - 1 };
    all.checked_shl(first).unwrap_or(0)
}
