//! Figures about the shape of a launch: waves of blocks, balance between SMs, and the number of warps that other
//! limits would allow.

use super::figures::{Computed, Figures};
use super::stalls;

/// Bytes per wavefront of shared memory. Source: `machine::units`.
const WAVEFRONT_BYTES: f64 = machine::units::WAVEFRONT_BYTES as f64;

impl Figures<'_> {
    /// Fraction of the time in which an SM has a block, averaged over all SMs, 0 to 1. The value is 1 if the
    /// profile lacks the metrics.
    pub(super) fn active_sms(&self) -> f64 {
        self.get("active_sms").map_or(1.0, |active| active.value / 100.0)
    }

    /// [`Self::active_sms`] in percent, from the metrics. The reference is the busiest SM's active time if
    /// the profile contains it, and otherwise the elapsed time, which includes launching.
    pub(super) fn sms_with_work(&self) -> Option<Computed> {
        let busiest = ["sm__cycles_active.max", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"];
        let active = "sm__cycles_active.avg";
        busiest.iter().find_map(|most| self.ratio(active, most)).map(|(part, source)| (100.0 * part, source))
    }

    /// Time if all warp slots were always filled, as a percentage of the actual time. This is the currently
    /// filled fraction of slots, averaged over all SMs and the complete time.
    pub(super) fn balanced_time(&self) -> Option<Computed> {
        let (achieved, theoretical) = (self.get("achieved_occupancy")?, self.get("theoretical_occupancy")?);
        let filled = (achieved.value / theoretical.value).min(1.0);
        Some((100.0 * filled * self.active_sms(), format!("{} / {}", achieved.source, theoretical.source)))
    }

    /// Time without a partial last wave, as a percentage of the actual time. It is never less than
    /// [`Self::balanced_time`]. `None` if the launch has at most one wave.
    pub(super) fn tail_time(&self) -> Option<Computed> {
        let waves = self.get("waves").filter(|waves| waves.value > 1.0)?;
        let whole = 100.0 * waves.value / waves.value.ceil();
        Some((whole.max(self.get("balanced_time")?.value), waves.source))
    }

    /// Mean number of instructions per warp.
    fn instructions_per_warp(&self) -> Option<f64> {
        let all =
            self.launch.metric("inst_executed").or_else(|| self.launch.metric("smsp__inst_executed.sum"))?;
        Some(all / self.warps()?)
    }

    /// Mean number of cycles from a warp's first to its last instruction.
    pub(super) fn lifetime(&self) -> Option<Computed> {
        let latency = self.any(&[
            "smsp__average_warp_latency_per_inst_issued.ratio",
            "smsp__average_warps_active_per_inst_executed.ratio",
        ])?;
        Some((latency.0 * self.instructions_per_warp()?, latency.1))
    }

    /// [`Self::lifetime`] of a warp as a percentage of the launch's time.
    pub(super) fn lifetime_share(&self) -> Option<Computed> {
        let (cycles, source) = self.lifetime()?;
        let elapsed =
            self.any(&["sm__cycles_elapsed.max", "gpc__cycles_elapsed.max", "sm__cycles_active.avg"])?;
        Some((100.0 * cycles / elapsed.0, source))
    }

    /// Warps per block.
    fn block_warps(&self) -> Option<f64> {
        let warp = f64::from(self.gpu.arch.resources.warp_size);
        Some((self.get("block_threads")?.value / warp).ceil().max(1.0))
    }

    /// Active warps as a percentage of the warps that an SM could hold under these limits on its blocks.
    fn of_limits(&self, limits: &[Option<f64>]) -> Option<Computed> {
        let active = self.get("active_warps")?;
        let blocks = limits.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let most = (blocks * self.block_warps()?).min(self.get("max_warps")?.value);
        (most > 0.0).then(|| ((100.0 * active.value / most).min(100.0), active.source))
    }

    fn limit(&self, name: &str) -> Option<f64> {
        self.get(name).map(|limit| limit.value)
    }

    /// Active warps as a percentage of the warps that larger blocks would allow; `None` unless the maximum number of
    /// blocks per SM limits the occupancy.
    pub(super) fn larger_block_time(&self) -> Option<Computed> {
        let by_count = self.limit("blocks_by_count")?;
        // Profilers cap the other limits at the limit of the block count.
        let is_own = |limit: &f64| *limit > by_count;
        let others = ["blocks_by_registers", "blocks_by_shared"].map(|name| self.limit(name));
        let is_least = others.iter().flatten().all(|other| *other >= by_count);
        let fills = by_count * self.block_warps()? >= self.get("max_warps")?.value;
        if !is_least || fills {
            return None;
        }
        self.of_limits(&others.map(|limit| limit.filter(is_own)))
    }

    /// Percentage of a block's shared memory that stores cannot have filled; `None` if copies or atomics may
    /// have filled it.
    pub(super) fn unused_shared(&self) -> Option<Computed> {
        let metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
        let copies = ["LDGSTS", "UBLKCP", "UTMALDG", "ATOMS"].map(|mnemonic| self.count(mnemonic));
        if copies.iter().any(|count| count.is_none_or(|count| count > 0.0)) {
            return None;
        }
        let stored = WAVEFRONT_BYTES * self.launch.metric(metric)? / self.blocks()?;
        let own = self.launch.metric("launch__shared_mem_per_block_static")?
            + self.launch.metric("launch__shared_mem_per_block_dynamic")?;
        (own > 0.0).then(|| (100.0 * (1.0 - stored / own).max(0.0), metric.to_owned()))
    }

    /// Active warps as a percentage of the warps that the used shared memory allows; `None` unless shared memory
    /// limits the occupancy.
    pub(super) fn used_shared_time(&self) -> Option<Computed> {
        let unused = self.get("unused_shared")?;
        let shared = self.limit("blocks_by_shared")?;
        let others =
            [self.limit("blocks_by_registers"), self.limit("blocks_by_warps"), self.limit("blocks_by_count")];
        if others.iter().flatten().any(|other| *other <= shared) {
            return None;
        }
        let with_less = shared / (1.0 - unused.value / 100.0).max(f64::EPSILON);
        self.of_limits(&[others.as_slice(), &[Some(with_less)]].concat())
    }

    /// Fraction of a warp's time spent in stalls, 0 to 1.
    pub(super) fn stalls_of_warp_time(&self) -> Option<f64> {
        stalls::of_warp_time(self.launch, |_| true)
    }

    /// Fraction of all stalls on global or local memory, 0 to 1.
    pub(super) fn memory_stalls(&self) -> Option<f64> {
        let (_, amounts) = stalls::amounts(self.launch)?;
        let total: f64 = amounts.iter().map(|(_, amount)| amount).sum();
        let own = amounts.iter().filter(|(reason, _)| stalls::is_of_memory(reason));
        Some(own.map(|(_, amount)| amount).sum::<f64>() / total).filter(|part| part.is_finite())
    }
}
