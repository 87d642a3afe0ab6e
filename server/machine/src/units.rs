//! Units in which all GPUs count threads and bytes. They are part of the programming model or the instruction
//! word, and are equal on every chip in `data/`. Rules that differ, such as Kepler's eight-byte banks, are in
//! the chip's `sm.toml`.

/// Threads per warp. Source: CUDA C++ programming guide, "SIMT Architecture".
pub const WARP_SIZE: u32 = 32;
/// [`WARP_SIZE`] as the length of an array.
pub const LANES: usize = WARP_SIZE as usize;

/// Bytes per sector, the smallest transfer between caches. Source: CUDA C++ programming guide, "Device Memory
/// Accesses".
pub const SECTOR_BYTES: u32 = 32;
/// Bytes per cache line, which has one tag. Source: CUDA C++ programming guide, "Device Memory Accesses".
pub const LINE_BYTES: u32 = 128;

/// Banks of shared memory. Source: CUDA C++ programming guide, "Compute Capabilities", "Shared Memory".
pub const BANKS: u32 = 32;
/// Bytes per word of a bank. Source: CUDA C++ programming guide, "Compute Capabilities", "Shared Memory".
pub const BANK_BYTES: u32 = 4;
/// Bytes per wavefront of shared memory: one word of each bank.
pub const WAVEFRONT_BYTES: u32 = BANKS * BANK_BYTES;

/// Scoreboards per warp: the barriers that a control code can name. Source: `data/hardware.toml`.
pub const SCOREBOARDS: usize = 6;
/// The largest stall count of a control code: four bits. Source: maxas; Jia et al. 2018, section 2.1.
pub const MAX_STALL: u32 = 15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hardware, Machine};

    #[test]
    fn the_data_of_every_chip_has_these_units() {
        assert_eq!(Hardware::builtin().scoreboards.value as usize, SCOREBOARDS);
        assert!(Hardware::builtin().most_stall_without_yield.value < MAX_STALL);
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
