//! How many blocks an SM holds: Equations 11 to 15, and the vendor's exact rules.

use crate::{Occupancy, OccupancyLimiter};
use machine::SmResources;

/// Equation 11: `MBT = floor(SM_threads / Block_threads)`. `None`, here and below, where a block needs none of it.
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

/// What a block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNeeds {
    pub threads: u32,
    /// Of a thread.
    pub registers: u32,
    /// Bytes, static and dynamic.
    pub shared: u32,
}

/// Equations 11 to 15 with the portions in which the hardware gives its resources out, as the vendor's occupancy
/// calculator does: warps stand for threads, registers are counted for whole warps of one sub-partition, and shared
/// memory comes in units with the driver's part on top.
///
/// Two limits of the vendor's are not here: named barriers beyond one for each block, and the carve-out, which is taken
/// at its largest. Source: `cuda_occupancy.h` of the CUDA runtime 13.5, as far as this crate's figures go.
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
    limits.extend(resources.barriers_per_sm.as_ref().map(|n| (OccupancyLimiter::Barriers, n.value)));
    let (limiter, active_blocks) = if is_possible(resources, needs, warps) {
        // Of equal limits the first.
        limits.iter().copied().min_by_key(|&(_, blocks)| blocks).expect("the limit of blocks is always there")
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

/// Whether a block of these needs can be launched at all.
fn is_possible(resources: &SmResources, needs: BlockNeeds, warps: u32) -> bool {
    let partitions = resources.sub_partitions.value.max(1);
    let of_block =
        warps.next_multiple_of(partitions).saturating_mul(registers_of_warp(resources, needs.registers));
    (1..=resources.max_threads_per_block.value).contains(&needs.threads)
        && needs.registers <= resources.max_registers_per_thread.value
        && of_block <= resources.registers_per_block.value
        && needs.shared <= resources.shared_per_block.value
}

/// 32-bit registers that one warp takes: in whole units.
fn registers_of_warp(resources: &SmResources, registers: u32) -> u32 {
    let unit = resources.register_unit_per_warp.value.max(1);
    let needed = registers.saturating_mul(resources.warp_size);
    needed.checked_next_multiple_of(unit).unwrap_or(u32::MAX)
}

/// Blocks for which there are registers; a sub-partition's registers serve its own warps only.
fn by_registers(resources: &SmResources, warps: u32, registers: u32) -> Option<u32> {
    let partitions = resources.sub_partitions.value.max(1);
    let of_partition = resources.registers.value / partitions;
    let warps_of_partition = blocks_by_registers(of_partition, registers_of_warp(resources, registers))?;
    (warps_of_partition * partitions).checked_div(warps)
}

/// Bytes of shared memory that a block takes, the driver's part included: in whole units.
fn shared_of_block(resources: &SmResources, shared: u32) -> u32 {
    let unit = resources.shared_unit.value.max(1);
    let needed = shared.saturating_add(resources.shared_reserved_per_block.value);
    needed.checked_next_multiple_of(unit).unwrap_or(u32::MAX)
}
