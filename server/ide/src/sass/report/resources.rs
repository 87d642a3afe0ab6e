//! A launch's resources and occupancy as data.

use super::{OccupancyReport, Resources};
use crate::sass::launch::stated_by;
use crate::words::kind_names::limiter_name;
use model::{Launch, Occupancy};

pub(crate) fn resources_report(launch: &Launch) -> Resources {
    Resources {
        registers: launch.registers.value,
        registers_source: stated_by(launch.registers.by),
        shared: launch.shared.value,
        shared_source: stated_by(launch.shared.by),
        grid: launch.grid,
        block: launch.block,
        launch_assumed: launch.assumed,
    }
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
