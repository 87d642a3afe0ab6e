//! Units in which all GPUs count threads and bytes: part of the programming model or of the instruction word, and the same on every chip
//! in `data/`. A chip's own rules for them, such as Kepler's banks of eight bytes, are in its `sm.toml`.

/// Threads of a warp. Source: CUDA C++ programming guide, "SIMT Architecture".
pub const WARP_SIZE: u32 = 32;
/// [`WARP_SIZE`] as the length of an array.
pub const LANES: usize = WARP_SIZE as usize;

/// Bytes of a sector, the least that caches move. Source: CUDA C++ programming guide, "Device Memory Accesses".
pub const SECTOR_BYTES: u32 = 32;
/// Bytes of a cache line, which has one tag. Source: CUDA C++ programming guide, "Device Memory Accesses".
pub const LINE_BYTES: u32 = 128;

/// Banks of shared memory. Source: CUDA C++ programming guide, "Compute Capabilities", "Shared Memory".
pub const BANKS: u32 = 32;
/// Bytes of a bank's word. Source: CUDA C++ programming guide, "Compute Capabilities", "Shared Memory".
pub const BANK_BYTES: u32 = 4;
/// Bytes of a wavefront of shared memory: a word of each bank.
pub const WAVEFRONT_BYTES: u32 = BANKS * BANK_BYTES;

/// Scoreboards of a warp: the barriers that a control code has numbers for. Source: `data/hardware.toml`.
pub const SCOREBOARDS: usize = 6;
/// The most that a control code's stall count holds: four bits. Source: maxas; Jia et al. 2018, section 2.1.
pub const MOST_STALL: u32 = 15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hardware, Machine};

    #[test]
    fn the_data_of_every_chip_has_these_units() {
        assert_eq!(Hardware::builtin().scoreboards.value as usize, SCOREBOARDS);
        assert!(Hardware::builtin().most_stall_without_yield.value < MOST_STALL);
        for arch in &Machine::builtin().archs {
            let (resources, requests) = (&arch.resources, &arch.requests);
            assert_eq!(resources.warp_size, WARP_SIZE);
            assert_eq!(requests.sector_bytes.value, SECTOR_BYTES, "sm_{}", arch.sm);
            assert_eq!(requests.line_bytes.value, LINE_BYTES, "sm_{}", arch.sm);
            assert_eq!(resources.shared_banks.value, BANKS, "sm_{}", arch.sm);
            assert_eq!(requests.shared_word.value, BANK_BYTES, "sm_{}", arch.sm);
        }
    }
}
