//! Wavefronts of an access to shared memory.
//!
//! Lanes go in groups that move as many bytes as all banks deliver at once: of a 32-bit access all lanes, of a 64-bit
//! access each half, of a 128-bit access each quarter of the warp. A group takes a wavefront for each of the different
//! words that its lanes want from the busiest bank. Source: CUDA C++ programming guide, shared memory; the groups are
//! measured, see `tests/measured/requests.csv`.

use super::banks::{Asked, Banks};
use super::{LANES, Request, lanes_of, mask_of};
use machine::Arch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKind {
    Load,
    Store,
    Atomic,
    /// `LDSM`, `STSM`: `addresses` are rows of 16 bytes, lanes 8 p to 8 p + 7 of matrix p.
    Matrix,
    /// The shared side of `LDGSTS`.
    Copy,
}

/// What a request of shared memory takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wavefronts {
    pub taken: u32,
    /// What the bytes need if no banks conflicted, at most `taken`.
    pub ideal: u32,
}

/// Bytes of a row that a lane names in a matrix access: eight 16-bit elements. Source: PTX ISA, `ldmatrix`.
const MATRIX_ROW_BYTES: u32 = 16;

/// Rows of a matrix, and so lanes that name them. Source: PTX ISA, `ldmatrix`.
const MATRIX_ROWS: u32 = 8;

/// Bytes of each matrix that a lane's register holds. Source: PTX ISA, `ldmatrix`.
const MATRIX_BYTES_PER_LANE: u32 = 4;

/// A request cut into groups of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) banks: Banks,
    /// The lanes that take part.
    active: u32,
    lanes_per_group: u32,
    /// Lanes that want the same word share it; else each takes a wavefront of its own.
    pub(super) merges_words: bool,
}

impl Shape {
    pub(super) fn of(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<Self> {
        if bytes == 0 {
            return None;
        }
        let is_matrix = kind == SharedKind::Matrix;
        let size = if is_matrix { MATRIX_ROW_BYTES } else { bytes.checked_next_power_of_two()? };
        let named = if is_matrix { bytes / MATRIX_BYTES_PER_LANE * MATRIX_ROWS } else { LANES as u32 };
        let banks = Banks::of(arch, size)?;
        let active = request.active & mask_of(0, named);
        let request = Request { active, ..*request };
        if active == 0 || !request.is_aligned(size) {
            return None;
        }
        let lanes_per_group = ((1_u32 << banks.row_bits()) / size.max(4)).min(LANES as u32);
        let merges_words = !matches!(kind, SharedKind::Atomic | SharedKind::Copy);
        Some(Self { banks, active, lanes_per_group, merges_words })
    }

    /// The lanes of each group that take part; none is empty.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> {
        let (active, count) = (self.active, self.lanes_per_group);
        let each = (0..LANES as u32).step_by(count as usize);
        each.map(move |first| active & mask_of(first, count)).filter(|group| *group != 0)
    }

    /// Wavefronts of the lanes, if they go together.
    fn passes(&self, request: &Request, group: u32) -> u32 {
        let mut asked = Asked::new();
        let each = lanes_of(group);
        each.map(|lane| asked.add(self.banks.place(request.addresses[lane]), self.merges_words))
            .max()
            .unwrap_or(0)
    }
}

/// Wavefronts of an access of `bytes` a lane.
///
/// `None` where nothing takes part, where the addresses are not aligned to their own size, and where a lane moves more
/// than all banks deliver.
pub fn shared(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<Wavefronts> {
    let shape = Shape::of(arch, kind, bytes, request)?;
    let (mut taken, mut ideal) = (0, 0);
    for group in shape.groups() {
        taken += shape.passes(request, group);
        ideal += 1;
    }
    Some(Wavefronts { taken, ideal })
}
