//! Figures about load latency, and about the traffic of perfectly coalesced accesses.

use super::figures::{Computed, Figures};
use super::stalls;

/// Sector size in bytes. Source: `machine::units`.
const SECTOR_BYTES: f64 = machine::units::SECTOR_BYTES as f64;
/// Metric: sectors that coalesced accesses would move.
const IDEAL_SECTORS: &str = "memory_l2_theoretical_sectors_global_ideal";
/// Metric: sectors that the SMs read from L2 or write to L2.
const L2_SECTORS: &str = "lts__t_sectors_srcunit_tex.sum";

impl Figures<'_> {
    /// Mean latency of a load without contention, in cycles, from the launch's L1 and L2 hit rates.
    fn load_latency(&self) -> Option<f64> {
        let (l1_miss, l2_miss) = (self.get("l1_miss_ratio")?.value, self.get("l2_miss_ratio")?.value);
        let times = &self.gpu.arch.memory;
        let [l1, l2, dram] = [&times.l1_hit, &times.l2_hit, &times.dram].map(|known| f64::from(known.value));
        Some((1.0 - l1_miss) * l1 + l1_miss * ((1.0 - l2_miss) * l2 + l2_miss * dram))
    }

    /// Cycles that a warp would wait for its global loads without contention, divided by its actual waiting cycles.
    fn unloaded(&self, is_one: impl Fn(&super::reasons::Reason) -> bool) -> Option<f64> {
        let loads = self.get("global_loads_per_warp").filter(|loads| loads.value > 0.0)?;
        let waits = stalls::of_warp_time(self.launch, is_one)? * self.lifetime()?.0;
        (waits > 0.0).then(|| self.load_latency().map(|latency| loads.value * latency / waits)).flatten()
    }

    /// Percentage of the memory wait time that would remain without contention from other accesses.
    pub(super) fn unloaded_latency(&self) -> Option<Computed> {
        let part = self.unloaded(stalls::is_of_memory)?;
        Some((100.0 * part.min(1.0), "latencies of the GPU, hit rates and loads per warp".to_owned()))
    }

    /// Mean number of a warp's loads in flight while the warp waits.
    pub(super) fn loads_in_flight(&self) -> Option<Computed> {
        let count = self.unloaded(|reason| reason.name == "long_scoreboard")?;
        Some((count, "latencies of the GPU, hit rates and loads per warp".to_owned()))
    }

    /// Percentage of the load wait time that would disappear if as many loads were in flight as in an unrolled loop.
    pub(super) fn serial_loads(&self) -> Option<Computed> {
        let (count, source) = self.loads_in_flight()?;
        let unrolled = self.thresholds.known("unrolled_loads").value;
        Some((100.0 * (1.0 - count / unrolled).clamp(0.0, 1.0), source))
    }

    fn ideal_sectors(&self) -> Option<f64> {
        let own = &self.launch.instructions;
        self.launch.metric(IDEAL_SECTORS).or_else(|| own.has(IDEAL_SECTORS).then(|| own.total(IDEAL_SECTORS)))
    }

    /// Percentage of the sectors between the SMs and L2 that coalesced accesses would not transfer.
    pub(super) fn excess_of_l2(&self) -> Option<Computed> {
        let moved = self.launch.metric(L2_SECTORS).filter(|moved| *moved > 0.0)?;
        let part = (1.0 - self.ideal_sectors()? / moved).max(0.0);
        Some((100.0 * part, format!("1 - {IDEAL_SECTORS} / {L2_SECTORS}")))
    }

    /// Percentage of the bytes transferred from and to device memory that coalesced accesses would not
    /// transfer.
    pub(super) fn excess_of_dram(&self) -> Option<Computed> {
        let (read, written) = ("dram__bytes_read.sum", "dram__bytes_write.sum");
        let moved = self.launch.metric(read)? + self.launch.metric(written)?;
        let part = 1.0 - SECTOR_BYTES * self.ideal_sectors()? / moved;
        (moved > 0.0).then(|| (100.0 * part.max(0.0), format!("1 - {IDEAL_SECTORS} / ({read} + {written})")))
    }

    /// Percentage of the L1 cache's work that reloads bytes which device memory has already delivered.
    pub(super) fn reused_loads(&self) -> Option<Computed> {
        let (loads, read) = ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "dram__bytes_read.sum");
        let loaded = SECTOR_BYTES * self.launch.metric(loads).filter(|loads| *loads > 0.0)?;
        let again = (1.0 - self.launch.metric(read)? / loaded).max(0.0);
        let shared = self.ratio(
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
            "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
        );
        let global = 1.0 - shared.map_or(0.0, |(part, _)| part.clamp(0.0, 1.0));
        // Each block that needs a value must still load it once, because a tile shares the value among a
        // limited number of threads.
        let tile = self.thresholds.known("tile").value;
        Some((100.0 * again.min(1.0 - 1.0 / tile) * global, format!("1 - {read} / {loads}")))
    }

    /// Percentage of the memory stalls that atomics cause. It is 100 if one L2 slice has far more atomics
    /// than the other slices, and otherwise the atomics' share of the sectors.
    pub(super) fn atomic_stalls(&self) -> Option<Computed> {
        let of_slices =
            |of: &str| format!("lts__d_atomic_input_cycles_active.{of}.pct_of_peak_sustained_elapsed");
        let uneven = self.thresholds.known("uneven_slices").value;
        let high = self.thresholds.known("high_slice").value;
        let slices = self.launch.metric(&of_slices("max")).zip(self.launch.metric(&of_slices("avg")));
        if slices.is_some_and(|(hot, mean)| hot >= uneven * mean && hot >= high) {
            return Some((100.0, of_slices("max")));
        }
        let of_operation = |of: &str| format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{of}.sum");
        let counted = ["atom", "red"].map(|operation| self.launch.metric(&of_operation(operation)));
        let sectors = counted.iter().flatten().copied().reduce(|one, other| one + other)?;
        let all = self.launch.metric(L2_SECTORS).filter(|all| *all > 0.0)?;
        Some(((100.0 * sectors / all).min(100.0), format!("{} / {L2_SECTORS}", of_operation("*"))))
    }

    /// Percentage of memory stalls not caused by atomics; 100 if the launch has hardly any atomics.
    pub(super) fn other_waits(&self) -> Computed {
        let few = self.thresholds.known("atomics").value;
        let has_atomics = self.get("atomics").is_some_and(|atomics| atomics.value > few);
        let of_atomics = self.get("atomic_stalls").filter(|_| has_atomics);
        of_atomics.map_or((100.0, String::new()), |own| (100.0 - own.value, own.source))
    }

    /// Bytes read from device memory, as a percentage of the bytes that the SMs read from L2.
    pub(super) fn read_once(&self) -> Option<Computed> {
        let (part, source) = self.ratio("dram__bytes_read.sum", "l1tex__m_xbar2l1tex_read_bytes.sum")?;
        Some(((100.0 * part).min(100.0), source))
    }

    /// Percentage of L2's work that does not consist of sectors of loads, stores and atomics. Fences are such work.
    pub(super) fn beyond_sectors(&self) -> Option<Computed> {
        let of_l2 = |unit: &str| format!("lts__{unit}.avg.pct_of_peak_sustained_elapsed");
        let sectors = of_l2("t_sectors_srcunit_tex");
        let (part, source) = self.ratio(&sectors, &of_l2("throughput"))?;
        Some((100.0 * (1.0 - part).clamp(0.0, 1.0), source))
    }
}
