//! A launch's resources and occupancy as data.

use super::{OccupancyReport, Resources};
use crate::engine::kernel_view::KernelView;
use crate::sass::launch::stated_by;
use crate::words::kind_names::limiter_name;
use model::launch::StatedBy;
use model::{Launch, MemorySpace, Occupancy};

pub(crate) fn resources_report(kernel: &KernelView<'_>, launch: &Launch) -> Resources {
    Resources {
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

/// Whether a kernel uses shared memory of which neither a launch nor the code says how much.
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
