//! Blocks that an SM holds: Equations 11 to 15, and the vendor's exact rules.

use crate::{Occupancy, OccupancyLimiter};
use machine::SmResources;

/// Equation 11: `MBT = floor(SM_threads / Block_threads)`. `None` if a block needs none of the resource, as
/// in Equations 12 and 13.
pub fn blocks_by_threads(sm_threads: u32, block_threads: u32) -> Option<u32> {
    sm_threads.checked_div(block_threads)
}

/// Equation 12: `MBR = floor(SM_registers / Block_registers)`.
pub fn blocks_by_registers(sm_registers: u32, block_registers: u32) -> Option<u32> {
    sm_registers.checked_div(block_registers)
}

/// Equation 13: `MBM = floor(SM_shared / Block_shared)`; Table 1 calls it MBS.
pub fn blocks_by_shared(sm_shared: u32, block_shared: u32) -> Option<u32> {
    sm_shared.checked_div(block_shared)
}

/// Equation 14: `Active_blocks = min{MBT, MBR, MBM, MBB}`; `max_blocks` (MBB) is the hardware's own limit.
pub fn active_blocks(limits: [Option<u32>; 3], max_blocks: u32) -> u32 {
    limits.into_iter().flatten().fold(max_blocks, u32::min)
}

/// Equation 15: `Active_warps = Active_blocks x ceil(Block_threads / Warp_size)`.
pub fn active_warps(active_blocks: u32, block_threads: u32, warp_size: u32) -> u32 {
    active_blocks.saturating_mul(block_threads.div_ceil(warp_size.max(1)))
}

/// Resources that a block requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNeeds {
    pub threads: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory, static and dynamic.
    pub shared: u32,
}

/// Equations 11 to 15 with the hardware's allocation units, as in the vendor's occupancy calculator. Threads
/// are counted in whole warps, and registers in whole warps of one sub-partition. Shared memory is counted in
/// whole allocation units and includes the driver's part.
///
/// Two of the vendor's limits are omitted: named barriers beyond one per block, and the shared memory carve-out,
/// which is assumed to be the largest. Source: `cuda_occupancy.h` of the CUDA runtime 13.5.
pub fn occupancy(resources: &SmResources, needs: BlockNeeds) -> Occupancy {
    let warps = needs.threads.div_ceil(resources.warp_size.max(1));
    let mut limits = Vec::with_capacity(5);
    if warps > 0 {
        let threads = blocks_by_threads(resources.max_threads.value, needs.threads);
        let slots = blocks_by_threads(resources.max_warps.value, warps);
        limits.extend(threads.into_iter().chain(slots).min().map(|blocks| (OccupancyLimiter::Warps, blocks)));
    }
    limits.push((OccupancyLimiter::Blocks, resources.max_blocks.value));
    limits.extend(by_registers(resources, warps, needs.registers).map(|n| (OccupancyLimiter::Registers, n)));
    let shared = shared_of_block(resources, needs.shared);
    limits.extend(
        blocks_by_shared(resources.shared_per_sm.value, shared).map(|n| (OccupancyLimiter::Shared, n)),
    );
    limits.extend(resources.barriers_per_sm().map(|n| (OccupancyLimiter::Barriers, n.value)));
    let (limiter, active_blocks) = if is_possible(resources, needs, warps) {
        // Of equal limits the first counts; the limit of blocks always exists.
        limits.iter().copied().min_by_key(|&(_, blocks)| blocks).unwrap_or((OccupancyLimiter::Impossible, 0))
    } else {
        (OccupancyLimiter::Impossible, 0)
    };
    Occupancy {
        active_blocks,
        active_warps: active_blocks.saturating_mul(warps),
        max_warps: resources.max_warps.value,
        limiter,
        limits,
    }
}

/// True if a block with these needs can be launched at all.
fn is_possible(resources: &SmResources, needs: BlockNeeds, warps: u32) -> bool {
    let partitions = resources.sub_partitions.value.max(1);
    let of_block =
        warps.next_multiple_of(partitions).saturating_mul(registers_of_warp(resources, needs.registers));
    (1..=resources.max_threads_per_block.value).contains(&needs.threads)
        && needs.registers <= resources.max_registers_per_thread.value
        && of_block <= resources.registers_per_block.value
        && needs.shared <= resources.shared_per_block.value
}

/// Returns the number of 32-bit registers of one warp, rounded up to whole allocation units.
fn registers_of_warp(resources: &SmResources, registers: u32) -> u32 {
    let unit = resources.register_unit_per_warp.value.max(1);
    let needed = registers.saturating_mul(resources.warp_size);
    needed.checked_next_multiple_of(unit).unwrap_or(u32::MAX)
}

/// Returns the number of blocks for which the registers suffice. Registers of a sub-partition serve only its
/// own warps. `None` if a block needs no registers.
fn by_registers(resources: &SmResources, warps: u32, registers: u32) -> Option<u32> {
    let partitions = resources.sub_partitions.value.max(1);
    let of_partition = resources.registers.value / partitions;
    let warps_of_partition = blocks_by_registers(of_partition, registers_of_warp(resources, registers))?;
    (warps_of_partition * partitions).checked_div(warps)
}

/// Returns a block's bytes of shared memory, including the driver's part, rounded up to whole allocation
/// units.
fn shared_of_block(resources: &SmResources, shared: u32) -> u32 {
    let unit = resources.shared_unit.value.max(1);
    let needed = shared.saturating_add(resources.shared_reserved_per_block.value);
    needed.checked_next_multiple_of(unit).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;
    use proptest::prelude::*;

    fn of(gpu: &str, threads: u32, registers: u32, shared: u32) -> Occupancy {
        let gpu = Machine::builtin().gpu(gpu).unwrap();
        occupancy(&gpu.arch.resources, BlockNeeds { threads, registers, shared })
    }

    #[test]
    fn the_equations_take_the_smallest_limit() {
        let limits = [
            blocks_by_threads(2048, 256),
            blocks_by_registers(65536, 256 * 242),
            blocks_by_shared(49152, 16400),
        ];
        assert_eq!(limits, [Some(8), Some(1), Some(2)]);
        assert_eq!(active_blocks(limits, 16), 1);
        assert_eq!(active_warps(1, 256, 32), 8);
        assert_eq!(active_warps(3, 33, 32), 6);
        assert_eq!(active_blocks([Some(40), None, None], 16), 16);
        assert_eq!(blocks_by_shared(49152, 0), None);
    }

    /// The figures of the vendor's occupancy calculator.
    #[test]
    fn known_occupancies() {
        let cases = [
            ("k20m", 256, 242, 16400, 1, OccupancyLimiter::Registers),
            ("k20m", 64, 16, 0, 16, OccupancyLimiter::Blocks),
            ("h100-sxm", 256, 32, 0, 8, OccupancyLimiter::Warps),
            ("h100-sxm", 1024, 65, 0, 0, OccupancyLimiter::Impossible),
            ("h100-sxm", 1024, 64, 0, 1, OccupancyLimiter::Registers),
            // 100 KB and the driver's 1 KB, of 228 KB.
            ("h100-sxm", 128, 32, 100 * 1024, 2, OccupancyLimiter::Shared),
            ("h100-sxm", 128, 32, 113 * 1024, 2, OccupancyLimiter::Shared),
            ("h100-sxm", 128, 32, 113 * 1024 + 1, 1, OccupancyLimiter::Shared),
            ("h100-sxm", 128, 32, 227 * 1024, 1, OccupancyLimiter::Shared),
            ("h100-sxm", 128, 32, 227 * 1024 + 1, 0, OccupancyLimiter::Impossible),
            ("h100-sxm", 128, 256, 0, 0, OccupancyLimiter::Impossible),
            ("h100-sxm", 1025, 32, 0, 0, OccupancyLimiter::Impossible),
            ("h100-sxm", 0, 32, 0, 0, OccupancyLimiter::Impossible),
            // A warp takes 1280 registers, a sub-partition's 16384 serve 12 warps, and 48 warps are 9 blocks of 5.
            ("h100-sxm", 160, 40, 0, 9, OccupancyLimiter::Registers),
        ];
        for (gpu, threads, registers, shared, blocks, limiter) in cases {
            let occupancy = of(gpu, threads, registers, shared);
            assert_eq!(
                (occupancy.active_blocks, occupancy.limiter),
                (blocks, limiter),
                "{gpu}: {threads} threads, {registers} registers, {shared} bytes"
            );
        }
    }

    /// Counts the blocks that fit on an SM by placing one after another until a resource runs out.
    fn brute_force(resources: &SmResources, needs: BlockNeeds) -> u32 {
        let warps = needs.threads.div_ceil(resources.warp_size);
        let mut registers_of_warp = 0;
        while registers_of_warp < needs.registers * resources.warp_size {
            registers_of_warp += resources.register_unit_per_warp.value;
        }
        let mut shared_of_block = 0;
        while shared_of_block < needs.shared + resources.shared_reserved_per_block.value {
            shared_of_block += resources.shared_unit.value;
        }
        let partitions = resources.sub_partitions.value as usize;
        let mut free_registers = vec![resources.registers.value / partitions as u32; partitions];
        let (mut warp_slots, mut threads, mut shared) =
            (resources.max_warps.value, resources.max_threads.value, resources.shared_per_sm.value);
        let mut blocks = 0;
        loop {
            if blocks == resources.max_blocks.value
                || warp_slots < warps
                || threads < needs.threads
                || shared < shared_of_block
                || resources.barriers_per_sm().is_some_and(|barriers| blocks == barriers.value)
            {
                return blocks;
            }
            for _ in 0..warps {
                let most = free_registers.iter_mut().max().unwrap();
                if *most < registers_of_warp {
                    return blocks;
                }
                *most -= registers_of_warp;
            }
            warp_slots -= warps;
            threads -= needs.threads;
            shared -= shared_of_block;
            blocks += 1;
        }
    }

    proptest! {
        #[test]
        fn occupancy_is_what_fits_when_blocks_are_placed_one_by_one(
            arch in 0_usize..12,
            threads in 1_u32..1100,
            registers in 1_u32..260,
            shared in prop_oneof![Just(0_u32), 0_u32..240_000],
        ) {
            let machine = Machine::builtin();
            let resources = &machine.archs[arch % machine.archs.len()].resources;
            let needs = BlockNeeds { threads, registers, shared };
            let occupancy = occupancy(resources, needs);
            if occupancy.limiter == OccupancyLimiter::Impossible {
                prop_assert_eq!(occupancy.active_blocks, 0);
            } else {
                prop_assert_eq!(occupancy.active_blocks, brute_force(resources, needs));
                prop_assert!(occupancy.active_blocks > 0);
            }
            prop_assert!(occupancy.fraction() <= 1.0);
        }
    }
}
