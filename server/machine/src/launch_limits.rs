//! The largest launch that any GPU accepts: `data/launch.toml`, and the largest figures of the architectures.

use crate::load::data_text;
use crate::{Arch, Known, Machine};
use serde::Deserialize;
use std::sync::LazyLock;

/// Limits over all known GPUs. A single GPU may have lower limits.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchLimits {
    /// Maximum number of blocks along x, y and z.
    pub grid: [Known<u32>; 3],
    /// Maximum number of threads along x, y and z.
    pub block: [Known<u32>; 3],
    /// Maximum number of threads per block.
    pub threads: u32,
    /// Maximum number of registers per thread.
    pub registers: u32,
    /// Maximum total size of a kernel's parameters, in bytes.
    pub parameter_bytes: Known<u32>,
    /// Maximum total size of a kernel's parameters, in bytes, before PTX 8.1 or before
    /// [`Self::first_long_parameters`].
    pub short_parameter_bytes: Known<u32>,
    /// The first architecture whose kernels may have more than [`Self::short_parameter_bytes`] of parameters.
    pub first_long_parameters: Known<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    grid_x: Known<u32>,
    grid_y: Known<u32>,
    grid_z: Known<u32>,
    block_x: Known<u32>,
    block_y: Known<u32>,
    block_z: Known<u32>,
    parameter_bytes: Known<u32>,
    short_parameter_bytes: Known<u32>,
    first_long_parameters: Known<u32>,
}

impl LaunchLimits {
    /// Limits of the machines that ship with the program.
    pub fn builtin() -> &'static Self {
        static LIMITS: LazyLock<LaunchLimits> =
            LazyLock::new(|| LaunchLimits::new(data_text!("launch.toml").built_in()));
        &LIMITS
    }

    fn new(file: File) -> Self {
        let machine = Machine::builtin();
        let largest =
            |limit: fn(&Arch) -> u32| machine.archs.iter().map(|arch| limit(arch)).max().unwrap_or(0);
        Self {
            grid: [file.grid_x, file.grid_y, file.grid_z],
            block: [file.block_x, file.block_y, file.block_z],
            threads: largest(|arch| arch.resources.max_threads_per_block.value),
            registers: largest(|arch| arch.resources.max_registers_per_thread.value),
            parameter_bytes: file.parameter_bytes,
            short_parameter_bytes: file.short_parameter_bytes,
            first_long_parameters: file.first_long_parameters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_the_archs_are_asked() {
        let limits = LaunchLimits::builtin();
        assert_eq!(limits.grid.each_ref().map(|known| known.value), [i32::MAX as u32, 65535, 65535]);
        assert_eq!(limits.block.each_ref().map(|known| known.value), [1024, 1024, 64]);
        assert_eq!((limits.threads, limits.registers, limits.parameter_bytes.value), (1024, 255, 32764));
    }
}
