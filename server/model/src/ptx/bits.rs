//! Rows of bits, one row for each block.

/// As many rows of as many bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    words: Vec<u64>,
    width: usize,
}

impl Rows {
    /// All bits clear, or all set.
    pub(super) fn new(rows: usize, bits: usize, is_set: bool) -> Self {
        let width = bits.div_ceil(64);
        let fill = if is_set { u64::MAX } else { 0 };
        Self { words: vec![fill; rows * width], width }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.width..(row + 1) * self.width]
    }
}

pub(super) fn has(row: &[u64], bit: u32) -> bool {
    row[bit as usize / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn set(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] |= 1 << (bit % 64);
}

pub(super) fn clear(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] &= !(1 << (bit % 64));
}

/// Clears that many bits from the first on.
pub(super) fn clear_range(row: &mut [u64], first: u32, count: u32) {
    let mut bit = first;
    let end = first + count;
    while bit < end {
        let in_word = (64 - bit % 64).min(end - bit);
        let mask = if in_word == 64 { u64::MAX } else { ((1 << in_word) - 1) << (bit % 64) };
        row[bit as usize / 64] &= !mask;
        bit += in_word;
    }
}

/// Sets what the other row has; true if anything changed.
pub(super) fn unite(row: &mut [u64], other: &[u64]) -> bool {
    row.iter_mut().zip(other).fold(false, |changed, (own, more)| {
        let before = *own;
        *own |= more;
        changed || before != *own
    })
}
