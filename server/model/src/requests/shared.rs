//! Wavefronts of a shared memory access.
//!
//! Lanes are served in groups that move as many bytes as all banks deliver at once: all lanes of a 32-bit
//! access, each half warp of a 64-bit access, each quarter warp of a 128-bit access. A group takes one
//! wavefront per distinct word that its lanes request from the busiest bank. Source: CUDA C++ programming
//! guide, shared memory.
//!
//! From 7.0 on, two adjacent groups of a load are served as one group if, in the entire warp, all lanes n and
//! n ^ 1 request the same address, or all lanes n and n ^ 2 do. Pairs with an inactive lane are ignored. Bank
//! conflicts do not affect this rule. Source: measured on an H100, `tests/measured/requests.csv`. If lanes of
//! an atomic operation or of a copy request the same word, each lane takes a separate wavefront. Among these
//! operations, only increments share a wavefront.
//!
//! Kepler's banks deliver 8 bytes. Two 4-byte words that are 32 words apart in an aligned row of 64 words do
//! not conflict. In 8-byte mode, the two halves of an 8-byte word do not conflict. The consequences for
//! Kepler's wide accesses (one group for 64 bits, two groups for 128 bits) were never measured.
//!
//! Wavefronts are counted as in Nsight Compute. A group without active lanes counts none, but occupies the
//! pipe for a cycle (on an H100, an LDS.64 of the lower half of a warp takes two cycles).

use super::banks::Banks;
use super::numbers::LaneNumbers;
use super::{LANES, Request, mask_of};
use machine::{Arch, Hardware};

/// Kind of a shared memory access. The kind determines which lanes can share a wavefront.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKind {
    Load,
    Store,
    /// `ATOMS`, except [`Self::Increment`] and [`Self::CompareAndSwap`].
    Atomic,
    /// `ATOMS.POPC.INC`: lanes that increment the same word are counted and served as one access.
    Increment,
    /// `ATOMS.CAS`, `ATOMS.CAST.SPIN`: each wavefront is taken twice. Lanes that fail retry in a loop of the
    /// program.
    CompareAndSwap,
    /// `LDSM`, `STSM`: `addresses` point to rows of 16 bytes. Lanes 8 p to 8 p + 7 hold the rows of matrix p.
    Matrix,
    /// The shared memory side of `LDGSTS`. On hardware, an `LDGSTS` that bypasses the L1 cache (`.BYPASS`)
    /// counts no wavefronts, because its data take a different path.
    Copy,
}

impl SharedKind {
    /// Returns the kind of a shared memory access, given the instruction's mnemonic and modifiers and whether
    /// the instruction loads and stores.
    pub fn decode<'a>(
        mnemonic: &str,
        mut modifiers: impl Iterator<Item = &'a str>,
        loads: bool,
        stores: bool,
    ) -> Self {
        match mnemonic {
            "LDSM" | "STSM" => Self::Matrix,
            "LDGSTS" => Self::Copy,
            _ if loads && stores => match modifiers.next() {
                Some("POPC") => Self::Increment,
                Some("CAS" | "CAST") => Self::CompareAndSwap,
                _ => Self::Atomic,
            },
            _ if stores => Self::Store,
            _ => Self::Load,
        }
    }

    /// True if the access is an atomic operation.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::Increment | Self::CompareAndSwap)
    }

    /// Returns the number of bytes accessed at each lane's address: `bytes`, or the row size for a matrix.
    pub fn lane_bytes(self, bytes: u32) -> u32 {
        match self {
            Self::Matrix => Hardware::builtin().matrix_row_bytes.value,
            _ => bytes,
        }
    }
}

/// Cost of a shared memory request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wavefronts {
    pub taken: u32,
    /// Number of wavefronts that the request would need without bank conflicts; at most `taken`.
    pub ideal: u32,
}

/// Size of the smallest word in bytes. A narrower access occupies the entire word.
const SMALLEST_WORD_BYTES: u32 = 4; // Source: the width of a bank

/// A request divided into groups of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) banks: Banks,
    /// Mask of the active lanes that participate in the access.
    active: u32,
    lanes_per_group: u32,
    /// True if lanes that access the same word share a wavefront. If false, each lane takes a separate
    /// wavefront.
    pub(super) merges_words: bool,
}

impl Shape {
    pub(super) fn new(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<Self> {
        if bytes == 0 {
            return None;
        }
        let size = kind.lane_bytes(bytes).checked_next_power_of_two()?;
        let named = match kind {
            SharedKind::Matrix => {
                let known = Hardware::builtin();
                let matrices = bytes / known.matrix_bytes_per_lane.value;
                matrices.min(known.most_matrices.value) * known.matrix_rows.value
            }
            _ => LANES as u32,
        };
        let banks = Banks::new(arch, size)?;
        let active = request.active & mask_of(0, named);
        let request = Request { active, ..*request };
        if active == 0 || !request.is_aligned(size) {
            return None;
        }
        let mut lanes_per_group = (banks.row_bytes() / size.max(SMALLEST_WORD_BYTES)).clamp(1, LANES as u32);
        if kind == SharedKind::Load && lanes_per_group < LANES as u32 && request.has_pairs() {
            lanes_per_group *= arch.requests.shared_load_merge.value.clamp(1, LANES as u32);
        }
        let merges_words =
            !matches!(kind, SharedKind::Atomic | SharedKind::CompareAndSwap | SharedKind::Copy);
        Some(Self { banks, active, lanes_per_group, merges_words })
    }

    /// Iterates over the active lane masks of the groups. Groups without active lanes are skipped.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> {
        let (active, count) = (self.active, self.lanes_per_group);
        let each = (0..LANES as u32).step_by(count as usize);
        each.map(move |first| active & mask_of(first, count)).filter(|group| *group != 0)
    }
}

/// Returns the wavefronts that an access of `bytes` per lane takes, and the ideal number.
///
/// `None` if no lane is active, if `bytes` is 0, if the addresses are not aligned to the access size, or if
/// the access of one lane is wider than all banks.
pub fn shared(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<Wavefronts> {
    let shape = Shape::new(arch, kind, bytes, request)?;
    let times = match kind {
        SharedKind::CompareAndSwap => arch.requests.shared_compare_passes.value,
        _ => 1,
    };
    let (mut taken, mut ideal) = (0, 0);
    let addresses = LaneNumbers::from_lanes(request, shape.active);
    let mut rest = addresses.as_slice();
    for group in shape.groups() {
        let (lanes, others) = rest.split_at(group.count_ones() as usize);
        taken += shape.banks.passes(lanes, shape.merges_words) * times;
        ideal += times;
        rest = others;
    }
    Some(Wavefronts { taken, ideal })
}
