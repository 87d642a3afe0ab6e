//! GPU parameters of the static model, from `machine/data`.

use machine::{Gpu, Known, Pipeline, StaticModel};

/// Cycles, rates per cycle and sizes of a GPU.
///
/// [`Self::measured`] returns the figures that the issue simulation uses. [`Self::published`] returns NVIDIA's figures,
/// which every GPU has. Times that are not published are 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) sms: f64,
    /// Sub-cores per SM. Each sub-core issues one instruction per cycle.
    pub(crate) sub_cores: f64,
    /// Cycles between two double-precision multiplications of a warp.
    pub(crate) fp64_interval: f64,
    /// Cycles of an SM per shared-memory wavefront.
    pub(crate) wavefront: f64,
    /// Cycles of an SM per cache line that passes through L1.
    pub(crate) line: f64,
    /// Bytes per cycle that the L2 cache delivers to all SMs together; `None` if unknown.
    pub(crate) l2_bytes: Option<f64>,
    /// Maximum number of bytes per cycle that the L2 cache delivers to one SM.
    pub(crate) l2_bytes_of_sm: f64,
    /// Sectors that the L2 cache stores per cycle.
    pub(crate) stored_sectors: f64,
    /// Atomic operations that the L2 cache performs per cycle.
    pub(crate) atomics: f64,
    pub(crate) sector_bytes: f64,
    /// Bytes that DRAM transfers per cycle of the SMs' clock.
    pub(crate) dram_bytes: f64,
    /// Capacity of the L2 cache in bytes.
    pub(crate) l2_size: f64,
    /// Latency in cycles of loading fragments from shared memory.
    pub(crate) fragments: f64,
    /// Latency in cycles of a load that hits in the L2 cache.
    pub(crate) l2_latency: f64,
    /// Latency in cycles of a load from DRAM.
    pub(crate) dram_latency: f64,
    /// Cycles that the L1 cache adds to the latency of a load from L2 or DRAM.
    pub(crate) l1_return: f64,
    /// Cycles per barrier.
    pub(crate) barrier: f64,
    /// Additional cycles per barrier for each warp on the same scheduler.
    pub(crate) barrier_warp: f64,
    /// Cycles from the launch until the SMs begin.
    pub(crate) launch: f64,
    /// Cycles from the beginning of the SMs to the first instruction of a block.
    pub(crate) first_instruction: f64,
    /// Number of dependent loads, each with the full latency, before a block's first products.
    pub(crate) first_loads: f64,
}

impl Figures {
    /// Measured figures; `None` if the GPU's pipeline was not measured.
    pub(crate) fn measured(gpu: &Gpu) -> Option<Self> {
        let model = StaticModel::builtin();
        let pipeline = gpu.arch.pipeline.as_deref()?;
        let Pipeline { shared, global, barrier, l2, dram, .. } = pipeline;
        let l2_bytes_of_sm = gpu.arch.rates.l2_bytes_of_sm.as_ref().unwrap_or(&model.l2_bytes_of_sm);
        // A stage of the SM serves several sub-cores at once, so the cycles that a single warp sees are a
        // multiple.
        let stage = |path: &Known<u32>| value(path) / value(&model.paths_per_stage);
        Some(Self {
            sub_cores: value(&pipeline.issue.sub_cores),
            fp64_interval: value(&pipeline.fp64.interval),
            wavefront: stage(&shared.wavefront),
            line: stage(&global.line),
            l2_bytes_of_sm: value(l2_bytes_of_sm),
            stored_sectors: value(&l2.stored_sectors),
            atomics: value(&l2.atomics),
            dram_bytes: value(&dram.bytes_per_cycle),
            l2_size: value(&l2.kilobytes) * 1000.0,
            fragments: value(&shared.result) + value(&model.shared_start),
            l2_latency: value(&l2.latency),
            dram_latency: f64::midpoint(value(&dram.near), value(&dram.far)),
            l1_return: 2.0 * value(&global.result),
            barrier: value(&barrier.to) + value(&barrier.meet),
            barrier_warp: value(&model.barrier_warp),
            first_instruction: value(&pipeline.launch.first),
            ..Self::published(gpu)
        })
    }

    /// Published figures. The rate of the L2 cache and the launch overhead are measured, if available.
    pub(crate) fn published(gpu: &Gpu) -> Self {
        let model = StaticModel::builtin();
        let (part, arch) = (&gpu.part, &gpu.arch);
        let pipeline = arch.pipeline.as_deref();
        let measured = pipeline.map(|figures| value(&figures.l2.requests) * value(&figures.l2.request_bytes));
        let empty = pipeline.map_or(0.0, |figures| value(&figures.launch.base));
        let clock = f64::from(part.boost_mhz.value) * 1e6;
        Self {
            sms: value(&part.sm_count),
            sub_cores: value(&arch.resources.sub_partitions).max(1.0),
            fp64_interval: 0.0,
            wavefront: 1.0,
            line: 0.0,
            l2_bytes: measured.or_else(|| arch.rates.l2_bytes.as_ref().map(value)),
            l2_bytes_of_sm: arch.rates.l2_bytes_of_sm.as_ref().map_or(f64::INFINITY, value),
            stored_sectors: 0.0,
            atomics: 0.0,
            sector_bytes: value(&arch.requests.sector_bytes),
            dram_bytes: part.dram_bytes_per_second.value.max(1.0) / clock,
            l2_size: part.l2_bytes.value as f64,
            fragments: value(&arch.memory.shared) * value(&model.fragment_waits),
            l2_latency: value(&arch.memory.l2_hit),
            dram_latency: value(&arch.memory.dram),
            l1_return: 0.0,
            barrier: 0.0,
            barrier_warp: 0.0,
            launch: empty * value(&model.launch_percent) / 100.0,
            first_instruction: 0.0,
            first_loads: value(&model.first_loads),
        }
    }

    /// Cycles of a barrier in a block with `warps` warps.
    pub(crate) fn barrier_of(&self, warps: f64) -> f64 {
        self.barrier + self.warps_of_scheduler(warps) * self.barrier_warp
    }

    /// Warps of a block per scheduler, at least 1.
    pub(crate) fn warps_of_scheduler(&self, warps: f64) -> f64 {
        (warps / self.sub_cores).max(1.0)
    }

    /// Fraction of the sub-cores with at least one warp.
    pub(crate) fn busy_sub_cores(&self, warps: f64) -> f64 {
        (warps / self.sub_cores).min(1.0)
    }

    /// Fraction of the SMs with at least one of `blocks` blocks.
    pub(crate) fn busy_sms(&self, blocks: f64) -> f64 {
        (blocks / self.sms).min(1.0)
    }
}

fn value(figure: &Known<u32>) -> f64 {
    f64::from(figure.value)
}
