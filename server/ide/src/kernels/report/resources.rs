//! Resources and occupancy of a launch as data.

use super::{OccupancyReport, Resources};
use crate::engine::kernel_view::KernelView;
use crate::kernels::access::with_memory;
use crate::kernels::launch::stated_by;
use crate::words::kind_names::limiter_name;
use advisor::memory::{Frame, Role};
use model::launch::StatedBy;
use model::{Launch, MemorySpace, Occupancy};

pub(crate) fn resources_report(kernel: &KernelView<'_>, launch: &Launch) -> Resources {
    let program = kernel.program();
    let (frame, spills) = with_memory(kernel, false, |memory| {
        let frame = Frame::analyse(memory);
        let spills = frame.roles.iter().filter(|(_, role)| matches!(role, Role::Spill { .. }));
        let bytes = |stores: bool| {
            let own = spills.clone().filter_map(|(inst, _)| program.instructions[*inst as usize].memory);
            own.filter(|touched| touched.stores == stores)
                .map(|touched| u32::from(touched.bytes_per_lane))
                .sum()
        };
        (frame.bytes, (bytes(true), bytes(false)))
    });
    Resources {
        stack: frame,
        spill_stores: spills.0,
        spill_loads: spills.1,
        registers: launch.registers.value,
        registers_source: stated_by(launch.registers.by),
        shared: launch.shared.value,
        shared_source: stated_by(launch.shared.by),
        shared_unknown: is_shared_unknown(kernel, launch),
        grid: launch.grid,
        block: launch.block,
        launch_assumed: launch.assumed,
    }
}

/// True if a kernel uses shared memory of unknown size: no launch or listing states the size, and the
/// code does not determine it.
pub(crate) fn is_shared_unknown(kernel: &KernelView<'_>, launch: &Launch) -> bool {
    let mut memories = kernel.program().instructions.iter().filter_map(|inst| inst.memory);
    launch.shared.by == StatedBy::Assumed && memories.any(|memory| memory.space == MemorySpace::Shared)
}

pub(crate) fn occupancy_report(occupancy: &Occupancy) -> OccupancyReport {
    OccupancyReport {
        active_blocks: occupancy.active_blocks,
        active_warps: occupancy.active_warps,
        max_warps: occupancy.max_warps,
        fraction: occupancy.fraction(),
        limiter: limiter_name(occupancy.limiter).to_owned(),
    }
}
