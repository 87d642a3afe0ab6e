//! Wavefronts of an access to shared memory.
//!
//! Lanes are served in groups that move as many bytes as all banks deliver at once: all lanes of a 32-bit access, each
//! half warp of a 64-bit access, each quarter of a 128-bit access. A group takes one wavefront per distinct word that
//! its lanes request from the busiest bank. Source: CUDA C++ programming guide, shared memory.
//!
//! From 7.0 on, two neighbouring groups of a load are served as one if, over the whole warp, every lane requests what
//! its neighbour n ^ 1 requests, or every lane what lane n ^ 2 requests; an inactive lane fits any. Bank conflicts play
//! no role. Source: measured on an H100, `tests/measured/requests.csv`. Lanes of an atomic operation or a copy that
//! request the same word each take a wavefront, except for increments.
//!
//! Kepler's banks deliver 8 bytes: words of 4 bytes that are 32 words apart in an aligned row of 64 do not conflict,
//! and in 8-byte mode the two halves of a word do not. The consequences for its wide accesses (a 64-bit one in one
//! group, a 128-bit one in two) were never measured.
//!
//! Wavefronts are counted as in Nsight Compute. A group without active lanes counts none, but occupies the pipe for a
//! cycle (an H100's LDS.64 of the lower half of a warp takes two).

use super::banks::Banks;
use super::numbers::Numbers;
use super::{LANES, Request, mask_of};
use machine::{Arch, Hardware};

/// Kind of an access to shared memory; it decides which lanes share a wavefront.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKind {
    Load,
    Store,
    /// `ATOMS`, except for the two below.
    Atomic,
    /// `ATOMS.POPC.INC`: lanes with the same word are counted first and served as one.
    Increment,
    /// `ATOMS.CAS`, `ATOMS.CAST.SPIN`: takes each wavefront twice. Lanes that fail retry in a loop of the code.
    CompareAndSwap,
    /// `LDSM`, `STSM`: `addresses` are rows of 16 bytes, lanes 8 p to 8 p + 7 of matrix p.
    Matrix,
    /// The shared side of `LDGSTS`. One that bypasses the L1 cache (`.BYPASS`) counts no wavefronts on silicon: its
    /// data take another path.
    Copy,
}

impl SharedKind {
    /// Returns the kind of an access to shared memory, by the instruction's words and by whether it loads and stores.
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

    /// True if the access modifies memory and returns the old value.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::Increment | Self::CompareAndSwap)
    }

    /// Returns the bytes at a lane's address for an access of `bytes` per lane; for a matrix, those of a row.
    pub fn lane_bytes(self, bytes: u32) -> u32 {
        match self {
            Self::Matrix => Hardware::builtin().matrix_row_bytes.value,
            _ => bytes,
        }
    }
}

/// Cost of a request to shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wavefronts {
    pub taken: u32,
    /// Wavefronts that the bytes would need without bank conflicts, at most `taken`.
    pub ideal: u32,
}

/// Narrower accesses occupy the word that contains them.
const SMALLEST_WORD_BYTES: u32 = 4; // Source: the width of a bank

/// A request divided into groups of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) banks: Banks,
    /// The active lanes.
    active: u32,
    lanes_per_group: u32,
    /// True if lanes with the same word share it; else each takes a wavefront of its own.
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

    /// Returns the active lanes of each group; none is empty.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> {
        let (active, count) = (self.active, self.lanes_per_group);
        let each = (0..LANES as u32).step_by(count as usize);
        each.map(move |first| active & mask_of(first, count)).filter(|group| *group != 0)
    }
}

/// Returns the wavefronts of an access of `bytes` per lane.
///
/// `None` if no lane is active, if the addresses are not aligned to the access size, or if a lane moves more than all
/// banks deliver.
pub fn shared(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<Wavefronts> {
    let shape = Shape::new(arch, kind, bytes, request)?;
    let times = match kind {
        SharedKind::CompareAndSwap => arch.requests.shared_compare_passes.value,
        _ => 1,
    };
    let (mut taken, mut ideal) = (0, 0);
    let addresses = Numbers::from_lanes(request, shape.active);
    let mut rest = addresses.as_slice();
    for group in shape.groups() {
        let (lanes, others) = rest.split_at(group.count_ones() as usize);
        taken += shape.banks.passes(lanes, shape.merges_words) * times;
        ideal += times;
        rest = others;
    }
    Some(Wavefronts { taken, ideal })
}
