//! Mapping of global memory addresses to sectors and cache lines.

use machine::Arch;

/// Sizes of an architecture's sectors and lines; both are powers of 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    /// Binary logarithm of the bytes of a sector.
    sector_bits: u32,
    /// Binary logarithm of the number of sectors in a line.
    line_bits: u32,
}

/// Binary logarithm of the maximum number of sectors in a line. A mask has a bit for each sector.
const MAX_LINE_BITS: u32 = u8::BITS.ilog2(); // limit: a mask has a bit for each sector

impl Lines {
    pub(super) fn from_arch(arch: &Arch) -> Self {
        let bits = |bytes: &machine::Known<u32>| bytes.value.max(1).ilog2();
        let (sector_bits, line_bits) = (bits(&arch.requests.sector_bytes), bits(&arch.requests.line_bytes));
        Self { sector_bits, line_bits: line_bits.saturating_sub(sector_bits).min(MAX_LINE_BITS) }
    }

    pub(super) fn sector_bytes(self) -> f64 {
        (1_u64 << self.sector_bits) as f64
    }

    pub(super) fn line_bytes(self) -> u64 {
        1 << (self.sector_bits + self.line_bits)
    }

    /// Returns the number of sectors of a line.
    pub(super) fn per_line(self) -> u32 {
        1 << self.line_bits
    }

    /// Returns the number of the sector that holds a byte.
    pub(super) fn sector(self, address: u64) -> u64 {
        address >> self.sector_bits
    }

    /// Returns the line of a sector, and the sector's bit in the line's mask.
    pub(super) fn line(self, sector: u64) -> (u64, u8) {
        (sector >> self.line_bits, 1 << (sector & u64::from(self.per_line() - 1)))
    }

    /// Returns the numbers of the sectors of a line that a mask selects, in ascending order.
    pub(super) fn sectors(self, (line, sectors): (u64, u8)) -> impl DoubleEndedIterator<Item = u64> {
        let first = line.wrapping_mul(self.per_line().into());
        (0..u64::from(self.per_line())).filter(move |at| sectors >> at & 1 == 1).map(move |at| first + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    #[test]
    fn a_line_of_128_bytes_has_four_sectors_of_32() {
        let lines = Lines::from_arch(&Machine::builtin().gpu_for_sm(90).arch);
        assert_eq!((lines.sector_bytes(), lines.per_line()), (32.0, 4));
        assert_eq!(lines.sector(0x1060), 0x83);
        assert_eq!(lines.line(0x83), (0x20, 0b1000));
        assert_eq!(lines.sectors((0x20, 0b1001)).collect::<Vec<_>>(), [0x80, 0x83]);
    }
}
