//! Cache hit rates of loads in a profile.

use super::launch_metric;
use crate::engine::kernel_view::KernelView;
use machine::MemorySpace;
use model::Launch;

/// Hit rate of load sectors in each cache, 0 to 1. `None` if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct HitRates {
    pub l1: Option<f64>,
    pub l2: Option<f64>,
}

/// Largest difference between the upper and lower bound on the hit rate of loads at which it is derived from the
/// hit rate of all requests.
const DOUBT: f64 = 0.1; // limit: a tenth changes cycles by less than the model's error

/// Returns the measured hit rates of loads. A missing rate is derived from the hit rate of all requests, if
/// the unknown hit rate of stores changes the result only a little.
pub(super) fn hit_rates(kernel: &KernelView<'_>, profiled: &profile::Launch, launch: &Launch) -> HitRates {
    let share = |name: &str| launch_metric(profiled, name).map(|percent| (percent / 100.0).clamp(0.0, 1.0));
    let of = |hits: &str, misses: &str| {
        let (hits, misses) = (launch_metric(profiled, hits)?, launch_metric(profiled, misses)?);
        (hits + misses > 0.0).then(|| hits / (hits + misses))
    };
    let (loaded, stored) = sectors(kernel, launch);
    let l1 = share("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct").or_else(|| {
        let hits = share("l1tex__t_sector_hit_rate.pct")? * (loaded + stored);
        let (least, most) = ((hits - stored).max(0.0) / loaded, (hits / loaded).min(1.0));
        (most - least < DOUBT).then(|| f64::midpoint(least, most))
    });
    let read = (
        "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
        "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
    );
    let l2 = of(read.0, read.1).or_else(|| {
        // Stores are assumed to hit L2, because L2 keeps a stored sector.
        let read = loaded * (1.0 - l1?);
        let hits = share("lts__t_sector_hit_rate.pct")? * (read + stored) - stored;
        (read > 0.0).then(|| (hits / read).clamp(0.0, 1.0))
    });
    HitRates { l1: l1.filter(|_| loaded > 0.0), l2 }
}

/// Returns the sectors of global memory that the launch loads, and the sectors that it stores or modifies
/// atomically.
fn sectors(kernel: &KernelView<'_>, launch: &Launch) -> (f64, f64) {
    let (mut loaded, mut stored) = (0.0, 0.0);
    let counted = launch.measured.iter().flat_map(|measured| &measured.instructions);
    for (inst, counted) in kernel.program().instructions.iter().zip(counted) {
        let Some(memory) = inst.memory else { continue };
        if matches!(memory.space, MemorySpace::Global | MemorySpace::Generic) {
            *(if memory.stores { &mut stored } else { &mut loaded }) += counted.sectors.unwrap_or(0.0);
        }
    }
    (loaded, stored)
}
