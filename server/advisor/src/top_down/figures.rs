//! Figures of a launch for the tree and for the conditions of guides, from the metrics of any supported
//! profiler.

use super::conflicts::{self, Access, conflicts};
use super::count::{OpcodeCount, executed};
use super::node::Fact;
use super::stalls;
use super::thresholds::Thresholds;
use super::work;
use machine::Gpu;
use profile::Launch;

/// Metric: shared-memory wavefronts.
pub(super) const WAVEFRONTS: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";

/// The figures of one launch.
pub(super) struct Figures<'a> {
    pub(super) launch: &'a Launch,
    pub(super) gpu: &'a Gpu,
    pub(super) thresholds: &'a Thresholds,
    pub(super) executed: Vec<OpcodeCount>,
}

/// A figure: its name, its title, its unit and the function that computes it.
type FigureDefinition = (&'static str, &'static str, &'static str, fn(&Figures<'_>) -> Option<Computed>);

/// A value, and the metrics from which it is computed.
pub(super) type Computed = (f64, String);

/// All figures, by name.
static ROWS: &[FigureDefinition] = &[
    ("ipc", "IPC per SM", "", |of| {
        of.any(&["sm__inst_executed.avg.per_cycle_active", "ipc"])
            .or_else(|| of.ratio("smsp__inst_executed.sum", "sm__cycles_active.sum"))
    }),
    ("issued_ipc", "issued IPC per SM", "", |of| {
        of.any(&["sm__inst_issued.avg.per_cycle_active", "issued_ipc"])
    }),
    ("compute_throughput", "utilisation of the busiest SM pipe", "%", |of| {
        of.any(&["sm__throughput.avg.pct_of_peak_sustained_elapsed"])
    }),
    ("memory_throughput", "utilisation of the busiest memory unit", "%", |of| {
        of.any(&["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"])
    }),
    ("l1_throughput", "L1 throughput", "%", |of| {
        of.any(&[
            "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
            "l1tex__throughput.avg.pct_of_peak_sustained_active",
        ])
    }),
    ("l2_throughput", "L2 throughput", "%", |of| {
        of.any(&["lts__throughput.avg.pct_of_peak_sustained_elapsed"])
    }),
    ("dram_throughput", "device memory throughput", "%", |of| {
        of.any(&[
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        ])
    }),
    ("active_warps", "active warps per SM", "warp", |of| of.active_warps()),
    ("max_warps", "maximum warps per SM", "warp", |of| {
        let own = of.any(&["device__attribute_max_warps_per_multiprocessor"]);
        own.or_else(|| {
            Some((
                f64::from(of.gpu.arch.resources.max_warps.value),
                of.gpu.arch.resources.max_warps.source.to_string(),
            ))
        })
    }),
    ("theoretical_occupancy", "theoretical occupancy", "%", |of| {
        of.any(&["sm__maximum_warps_per_active_cycle_pct"])
    }),
    ("achieved_occupancy", "achieved occupancy", "%", |of| {
        let nvprof = || of.any(&["achieved_occupancy"]).map(|(value, source)| (value * 100.0, source));
        of.any(&["sm__warps_active.avg.pct_of_peak_sustained_active"]).or_else(nvprof)
    }),
    ("block_threads", "threads per block", "thread", |of| {
        let block = || Some((of.launch.block?.iter().product::<u64>() as f64, "the launch".to_owned()));
        of.any(&["launch__block_size"]).or_else(block)
    }),
    ("registers", "registers per thread", "register", |of| of.any(&["launch__registers_per_thread"])),
    ("blocks_by_registers", "blocks per SM allowed by registers", "block", |of| {
        of.any(&["launch__occupancy_limit_registers"])
    }),
    ("blocks_by_shared", "blocks per SM allowed by shared memory", "block", |of| {
        of.any(&["launch__occupancy_limit_shared_mem"])
    }),
    ("blocks_by_warps", "blocks per SM allowed by warp slots", "block", |of| {
        of.any(&["launch__occupancy_limit_warps"])
    }),
    ("blocks_by_count", "blocks per SM allowed by block slots", "block", |of| {
        of.any(&["launch__occupancy_limit_blocks"])
    }),
    ("sms_with_blocks", "of the GPU's SMs have a block", "SM", |of| {
        let blocks = of.blocks()?;
        let sms = of.sms();
        (blocks < sms).then(|| (blocks, format!("the launch's grid, {sms:.0} SMs")))
    }),
    ("active_sms", "mean share of the time in which an SM has a block", "%", |of| of.sms_with_work()),
    ("balanced_time", "share of all warp slots that are filled", "%", |of| of.balanced_time()),
    ("imbalance", "share of warp slots that are empty while others run", "%", |of| {
        let filled = of.get("balanced_time")?;
        Some((100.0 - filled.value, filled.source))
    }),
    ("tail_time", "time that remains without the partial last wave", "%", |of| of.tail_time()),
    ("tail_waste", "time lost in the last wave", "%", |of| {
        let time = of.get("tail_time")?;
        Some((100.0 - time.value, time.source))
    }),
    ("warp_lifetime", "lifetime of a warp relative to the launch", "%", |of| of.lifetime_share()),
    ("larger_block_time", "occupancy relative to occupancy with larger blocks", "%", |of| {
        of.larger_block_time()
    }),
    ("unused_shared", "share of allocated shared memory that no store fills", "%", |of| of.unused_shared()),
    ("used_shared_time", "occupancy relative to occupancy with only the used shared memory", "%", |of| {
        of.used_shared_time()
    }),
    ("unloaded_latency", "share of memory waits that remains without contention", "%", |of| {
        of.unloaded_latency()
    }),
    ("loads_in_flight", "loads in flight per warp", "", |of| of.loads_in_flight()),
    ("serial_loads", "share of load waits that an unrolled loop would overlap", "%", |of| of.serial_loads()),
    ("excess_l2", "share of excess sectors in L2 traffic", "%", |of| of.excess_of_l2()),
    ("excess_dram", "share of excess bytes in device memory traffic", "%", |of| of.excess_of_dram()),
    ("reused_loads", "share of L1 work that reloads the same bytes", "%", |of| of.reused_loads()),
    ("atomic_stalls", "share of memory stalls that atomics cause", "%", |of| of.atomic_stalls()),
    ("beyond_sectors", "share of L2 work that moves no data", "%", |of| of.beyond_sectors()),
    ("constant_unit", "utilisation of the constant cache for indexed loads", "%", |of| {
        of.any(&["idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed"])
    }),
    ("other_waits", "share of memory stalls that atomics do not cause", "%", |of| Some(of.other_waits())),
    ("read_once", "device memory reads relative to the SMs' reads from L2", "%", |of| of.read_once()),
    ("shared_atomics", "share of shared atomic instructions", "%", |of| of.share_of("ATOMS", |_| true)),
    ("special_work", "share of instructions for exact special functions", "%", work::special_work),
    ("narrow_time", "time that remains if each load loads four values", "%", work::narrow_time),
    ("local_requests", "memory instructions that access local memory", "%", work::local_requests),
    ("all", "all of the traffic", "%", |_| Some((100.0, "assumed".to_owned()))),
    ("half", "half of the traffic", "%", |_| Some((50.0, "assumed".to_owned()))),
    ("waves", "waves of blocks", "", |of| of.any(&["launch__waves_per_multiprocessor"])),
    ("blocks_per_sm", "blocks per SM", "", |of| of.blocks_per_sm()),
    ("threads_per_instruction", "active lanes per instruction", "lane", |of| {
        let nvprof = || {
            let (share, source) = of.any(&["warp_execution_efficiency"])?;
            Some((share / 100.0 * f64::from(of.gpu.arch.resources.warp_size), source))
        };
        of.any(&["smsp__thread_inst_executed_per_inst_executed.ratio"])
            .or_else(|| of.ratio("thread_inst_executed", "inst_executed"))
            .or_else(nvprof)
    }),
    ("predicated_on_threads", "active lanes per instruction that are not predicated off", "lane", |of| {
        of.any(&["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"])
            .or_else(|| of.ratio("thread_inst_executed_true", "inst_executed"))
    }),
    ("warp_execution_efficiency", "warp execution efficiency", "%", |of| {
        let own = || {
            let lanes = of.get("threads_per_instruction")?;
            Some((100.0 * lanes.value / f64::from(of.gpu.arch.resources.warp_size), lanes.source))
        };
        of.any(&["warp_execution_efficiency"]).or_else(own)
    }),
    ("branch_efficiency", "share of uniform branches", "%", |of| {
        let uniform = of.any(&["smsp__sass_average_branch_targets_threads_uniform.pct", "branch_efficiency"]);
        // The counter is 0 if no branch depends on the lane.
        uniform.filter(|(value, _)| *value > 0.0)
    }),
    ("shared_load_conflicts", "extra wavefronts per shared load", "", |of| {
        of.ratio(
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
            "smsp__sass_inst_executed_op_shared_ld.sum",
        )
        .or_else(|| of.conflicts(Access::Load))
    }),
    ("shared_store_conflicts", "extra wavefronts per shared store", "", |of| {
        of.ratio(
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
            "smsp__sass_inst_executed_op_shared_st.sum",
        )
        .or_else(|| of.conflicts(Access::Store))
    }),
    (
        "load_conflict_wavefronts",
        "share of shared-memory wavefronts caused by bank conflicts of loads",
        "%",
        |of| of.conflict_part("ld").or_else(|| of.part_beyond_one("shared_load_conflicts")),
    ),
    (
        "store_conflict_wavefronts",
        "share of shared-memory wavefronts caused by bank conflicts of stores",
        "%",
        |of| of.conflict_part("st").or_else(|| of.part_beyond_one("shared_store_conflicts")),
    ),
    ("conflict_wavefronts", "share of shared-memory wavefronts caused by bank conflicts", "%", |of| {
        let (loads, stores) = (of.get("load_conflict_wavefronts"), of.get("store_conflict_wavefronts"));
        let parts = [loads, stores];
        let source = parts.iter().flatten().next()?.source.clone();
        Some((parts.iter().flatten().map(|part| part.value).sum::<f64>().min(100.0), source))
    }),
    ("l1_hit_rate", "L1 hit rate", "%", |of| of.any(&["l1tex__t_sector_hit_rate.pct", "global_hit_rate"])),
    ("l1_miss_ratio", "L1 misses", "", |of| of.misses("l1_hit_rate")),
    ("l2_hit_rate", "L2 hit rate", "%", |of| of.any(&["lts__t_sector_hit_rate.pct", "l2_tex_hit_rate"])),
    ("l2_miss_ratio", "L2 misses", "", |of| of.misses("l2_hit_rate")),
    ("extra_lines", "share of cache lines beyond one per request", "%", |of| {
        let lines = of.get("lines_per_request").filter(|lines| lines.value >= 1.0)?;
        Some((100.0 * (1.0 - 1.0 / lines.value), lines.source))
    }),
    ("lines_per_request", "L1 cache lines per request", "line", |of| of.lines_per_request()),
    ("sectors_per_load", "sectors per global load", "sector", |of| {
        of.ratio(
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        )
        .or_else(|| of.any(&["gld_transactions_per_request"]))
    }),
    ("sectors_per_store", "sectors per global store", "sector", |of| {
        of.ratio(
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        )
        .or_else(|| of.any(&["gst_transactions_per_request"]))
    }),
    ("excess_sectors", "share of excess sectors over coalesced accesses", "%", |of| of.excess_sectors()),
    ("global_load_efficiency", "global load efficiency", "%", |of| of.efficiency("ld", "gld_efficiency")),
    ("global_store_efficiency", "global store efficiency", "%", |of| of.efficiency("st", "gst_efficiency")),
    ("spills", "share of register spill instructions", "%", |of| {
        let (count, source) = of.any(&["sass__inst_executed_register_spilling"])?;
        let all = of.launch.metric("inst_executed").filter(|all| *all > 0.0)?;
        Some((100.0 * count / all, source))
    }),
    ("constant_hit_rate", "immediate constant cache hit rate", "%", |of| {
        of.any(&["smsp__imc_request_hit_rate.pct"])
    }),
    ("instruction_hit_rate", "instruction cache hit rate", "%", |of| {
        of.any(&["sm__icc_request_hit_rate.pct"])
    }),
    ("compression", "L2 compression success rate", "%", |of| {
        of.any(&["lts__average_gcomp_input_sector_success_rate.pct"])
    }),
    ("issue_slots", "utilisation of the issue slots", "%", |of| {
        let (achieved, ideal) = of.ipc()?;
        Some((100.0 * achieved / ideal, "IPC, Equation 1".to_owned()))
    }),
    ("alu_pipe", "ALU pipe utilisation", "%", |of| of.pipe("alu")),
    ("fma_pipe", "FMA pipe utilisation", "%", |of| of.pipe("fma")),
    ("lsu_pipe", "LSU pipe utilisation", "%", |of| of.pipe("lsu")),
    ("fp64_pipe", "FP64 pipe utilisation", "%", |of| {
        of.any(&[
            "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
            "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
        ])
    }),
    ("fp64_tensor_pipe", "FP64 tensor pipe utilisation", "%", |of| {
        of.any(&["sm__inst_executed_pipe_tensor_op_dmma.avg.pct_of_peak_sustained_active"])
    }),
    ("xu_pipe", "XU pipe utilisation", "%", |of| of.pipe("xu")),
    ("fp64_instructions", "share of FP64 instructions", "%", |of| of.share_of_pipe("FP64")),
    ("fp64_conversions", "share of conversions to or from FP64", "%", |of| {
        of.share_of("F2F", |opcode| opcode.contains("F64"))
    }),
    ("double_work", "share of FP64 arithmetic and conversions to FP64", "%", |of| {
        let (own, source) = of.share_of_pipe("FP64")?;
        Some((own + of.get("fp64_conversions")?.value, source))
    }),
    ("byte_work", "share of instructions that load, pack or unpack 8-bit or 16-bit values", "%", |of| {
        of.share(|own| {
            let is_load = matches!(own.mnemonic(), "LDG" | "LDS" | "LD");
            is_load && own.is_narrow() || own.mnemonic() == "PRMT"
        })
    }),
    ("narrow_loads", "share of 8-bit and 16-bit loads", "%", |of| {
        of.share(|own| own.mnemonic() == "LDG" && own.is_narrow())
    }),
    ("integer_divisions", "share of integer division instructions", "%", work::integer_divisions),
    ("idle_lanes", "share of idle lanes per instruction", "%", |of| {
        let lanes = of.get("warp_execution_efficiency")?;
        Some((100.0 - lanes.value, lanes.source))
    }),
    ("idle_warps", "share of warp slots that the grid leaves empty", "%", |of| {
        let waves = of.get("waves")?;
        Some((100.0 * (1.0 - waves.value).max(0.0), waves.source))
    }),
    ("block_more", "share of resident warps that one more block would add", "%", |of| of.block_more()),
    ("barriers_per_warp", "barriers per warp", "", |of| of.per_warp("BAR")),
    ("later_barriers", "share of barriers beyond two per warp", "%", |of| {
        let barriers = of.get("barriers_per_warp").filter(|barriers| barriers.value > 2.0)?;
        Some((100.0 * (1.0 - 2.0 / barriers.value), barriers.source))
    }),
    ("shared_loads_per_barrier", "shared loads per barrier", "", |of| {
        // Loads of warps without an active lane do not count.
        let (loads, source) = of.any(&["smsp__sass_inst_executed_op_shared_ld.sum"])?;
        let barriers = of.count("BAR").filter(|barriers| *barriers > 0.0)?;
        Some((loads / barriers, format!("{source} / executed barriers")))
    }),
    ("local_traffic", "share of L2 traffic from local memory", "%", |of| of.local_traffic()),
    ("global_loads_per_warp", "global loads per warp", "", |of| of.per_warp("LDG")),
    ("local_accesses", "share of local memory instructions", "%", |of| {
        let (loads, stores) = (of.share_of("LDL", |_| true)?, of.share_of("STL", |_| true)?);
        Some((loads.0 + stores.0, loads.1))
    }),
    ("atomics", "share of global atomic instructions", "%", |of| {
        let parts = ["ATOM", "ATOMG", "RED", "REDG"].map(|mnemonic| of.share_of(mnemonic, |_| true));
        let source = parts.iter().flatten().next()?.1.clone();
        Some((parts.iter().flatten().map(|(share, _)| share).sum(), source))
    }),
    ("shared_copies", "share of shared store instructions", "%", |of| of.share_of("STS", |_| true)),
    ("shared_loads", "shared loads", "instruction", |of| {
        of.any(&["smsp__sass_inst_executed_op_shared_ld.sum"]).or_else(|| of.share_of("LDS", |_| true))
    }),
    ("capability", "compute capability, times ten", "", |of| {
        let (major, minor) = of.launch.capability?;
        Some((f64::from(major * 10 + minor), "the profile".to_owned()))
    }),
];

/// The names of all figures.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, ..)| *name)
}

/// Returns a figure with its source.
pub(super) fn fact(
    name: &'static str,
    title: &'static str,
    value: f64,
    unit: &'static str,
    source: String,
) -> Fact {
    Fact { name, title, value, unit, source }
}

impl<'a> Figures<'a> {
    pub(super) fn new(launch: &'a Launch, gpu: &'a Gpu, thresholds: &'a Thresholds) -> Self {
        Self { launch, gpu, thresholds, executed: executed(launch) }
    }

    /// The figure with this name; `None` if the profile lacks a required metric.
    pub(super) fn get(&self, name: &str) -> Option<Fact> {
        let (name, title, unit, compute) = ROWS.iter().find(|(own, ..)| *own == name)?;
        let (value, source) = compute(self)?;
        value.is_finite().then(|| fact(name, title, value, unit, source))
    }

    /// The figures with these names that the profile contains, in the given order.
    pub(super) fn all(&self, names: &[&str]) -> Vec<Fact> {
        names.iter().filter_map(|name| self.get(name)).collect()
    }

    /// The value and name of the first of these metrics in the profile; `None` if the profile has none of
    /// them.
    pub(super) fn any(&self, metrics: &[&str]) -> Option<Computed> {
        metrics.iter().find_map(|metric| Some((self.launch.metric(metric)?, (*metric).to_owned())))
    }

    /// The quotient `metric / of`; `None` if a metric is missing or `of` is not positive.
    pub(super) fn ratio(&self, metric: &str, of: &str) -> Option<Computed> {
        let below = self.launch.metric(of).filter(|below| *below > 0.0)?;
        Some((self.launch.metric(metric)? / below, format!("{metric} / {of}")))
    }

    fn misses(&self, hit_rate: &str) -> Option<Computed> {
        let rate = self.get(hit_rate)?;
        Some(((1.0 - rate.value / 100.0).clamp(0.0, 1.0), rate.source))
    }

    /// Share of all shared-memory wavefronts that bank conflicts of an operation (`ld`, `st`, `atom`) add, in
    /// percent.
    fn conflict_part(&self, operation: &str) -> Option<Computed> {
        let conflicts = format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum");
        let (part, source) = self.ratio(&conflicts, WAVEFRONTS)?;
        Some(((100.0 * part).clamp(0.0, 100.0), source))
    }

    /// Returns `100 * x / (1 + x)`, where `x` is the figure with this name: the share of the excess in the total, in
    /// percent.
    fn part_beyond_one(&self, name: &str) -> Option<Computed> {
        let beyond = self.get(name)?;
        Some((100.0 * beyond.value / (1.0 + beyond.value), beyond.source))
    }

    fn active_warps(&self) -> Option<Computed> {
        let nvprof = || {
            let (share, source) = self.any(&["achieved_occupancy"])?;
            Some((share * f64::from(self.gpu.arch.resources.max_warps.value), source))
        };
        self.any(&["sm__warps_active.avg.per_cycle_active"]).or_else(nvprof)
    }

    fn blocks_per_sm(&self) -> Option<Computed> {
        let grid = self.launch.grid?.iter().product::<u64>() as f64;
        Some((grid / self.sms(), "the launch's grid and the GPU's SMs".to_owned()))
    }

    /// L1 tag look-ups per global-memory request, one for each cache line: `L1_per_inst` in Table 1.
    fn lines_per_request(&self) -> Option<Computed> {
        let request = |operation: &str| format!("l1tex__t_requests_pipe_lsu_mem_global_op_{operation}.sum");
        let tags = "memory_l1_tag_requests_global";
        let counted: Vec<f64> = ["ld", "st", "atom", "red"]
            .iter()
            .filter_map(|operation| self.launch.metric(&request(operation)))
            .collect();
        let requests: f64 = counted.iter().sum();
        if requests > 0.0 {
            return Some((self.launch.metric(tags)? / requests, format!("{tags} / {}", request("*"))));
        }
        let own = &self.launch.instructions;
        let (mut lines, mut requests) = (0.0, 0.0);
        for at in 0..own.len() {
            if let Some(count) = own.count(tags, at).filter(|count| *count > 0.0) {
                lines += count;
                requests += own.count("inst_executed", at)?;
            }
        }
        (requests > 0.0).then(|| (lines / requests, format!("{tags} / inst_executed")))
    }

    /// Extra wavefronts per executed access of this kind.
    fn conflicts(&self, kind: Access) -> Option<Computed> {
        let all = conflicts(self.launch, kind)?;
        Some((all.extra / all.requests, conflicts::SOURCE.to_owned()))
    }

    fn excess_sectors(&self) -> Option<Computed> {
        let total = |metric: &str| {
            let own = &self.launch.instructions;
            self.launch.metric(metric).or_else(|| own.has(metric).then(|| own.total(metric)))
        };
        let (metric, ideal) =
            ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal");
        let all = total(metric).filter(|all| *all > 0.0)?;
        Some((100.0 * (all - total(ideal)?) / all, format!("({metric} - {ideal}) / {metric}")))
    }

    /// Offset of the instruction whose `count` exceeds its `least` by the largest amount; `None` if there is no such
    /// instruction.
    pub(super) fn address_of_max(&self, count: &str, least: &str) -> Option<u64> {
        let own = &self.launch.instructions;
        let beyond =
            (0..own.len()).filter_map(|at| Some((at, own.count(count, at)? - own.count(least, at)?)));
        let most =
            beyond.filter(|(_, beyond)| *beyond > 0.0).max_by(|(_, one), (_, other)| one.total_cmp(other));
        most.map(|(at, _)| own.offsets()[at])
    }

    fn pipe(&self, name: &str) -> Option<Computed> {
        self.any(&[&format!("sm__inst_executed_pipe_{name}.avg.pct_of_peak_sustained_active")])
    }

    /// Mean number of executions of an opcode per warp.
    pub(super) fn per_warp(&self, mnemonic: &str) -> Option<Computed> {
        let warps = self.warps()?;
        let source = "executed instructions by opcode, per warp of the launch".to_owned();
        Some((self.count(mnemonic)? / warps, source)).filter(|_| warps > 0.0)
    }

    /// Number of SMs in the GPU.
    fn sms(&self) -> f64 {
        self.launch.metric("launch__sm_count").unwrap_or_else(|| f64::from(self.gpu.part.sm_count.value))
    }

    /// Number of blocks in the launch.
    pub(super) fn blocks(&self) -> Option<f64> {
        Some(self.launch.grid?.iter().product::<u64>() as f64).filter(|blocks| *blocks > 0.0)
    }

    /// Number of warps in the launch; a partial warp counts as one.
    pub(super) fn warps(&self) -> Option<f64> {
        let threads = self.launch.block?.iter().product::<u64>();
        let warps = threads.div_ceil(u64::from(self.gpu.arch.resources.warp_size));
        Some(self.blocks()? * warps as f64).filter(|warps| *warps > 0.0)
    }

    /// Number of executions of an opcode by all warps; `None` if the profile has no counts by opcode.
    pub(super) fn count(&self, mnemonic: &str) -> Option<f64> {
        let own = self.executed.iter().filter(|own| own.mnemonic() == mnemonic);
        let count: f64 = own.map(|own| own.count).sum();
        (!self.executed.is_empty()).then_some(count)
    }

    /// Local-memory sectors as a percentage of all sectors between L1 and L2.
    fn local_traffic(&self) -> Option<Computed> {
        let local = |of: &str| format!("l1tex__t_sectors_pipe_lsu_mem_local_op_{of}.sum");
        let (loads, stores) = (local("ld_lookup_miss"), local("st"));
        let all = "lts__t_sectors_srcunit_tex.sum";
        let sectors = self.launch.metric(&loads)? + self.launch.metric(&stores)?;
        let total = self.launch.metric(all).filter(|total| *total > 0.0)?;
        Some(((100.0 * sectors / total).min(100.0), format!("({loads} + {stores}) / {all}")))
    }

    /// Share of one block in the resident warps, in percent, if an SM held one block more than its registers, shared
    /// memory and warp slots allow.
    fn block_more(&self) -> Option<Computed> {
        let limits = ["blocks_by_registers", "blocks_by_shared", "blocks_by_warps"];
        let blocks = limits.iter().filter_map(|name| self.get(name));
        let least = blocks.min_by(|one, other| one.value.total_cmp(&other.value))?;
        Some((100.0 / (least.value + 1.0), least.source))
    }

    /// Requested bytes as a percentage of the bytes in the transferred sectors.
    fn efficiency(&self, operation: &str, nvprof: &str) -> Option<Computed> {
        let moved = format!("smsp__sass_average_data_bytes_per_sector_mem_global_op_{operation}");
        let metric = format!("{moved}.ratio");
        let most = self.launch.metric(&format!("{moved}.max_rate")).filter(|most| *most > 0.0);
        let own =
            || Some((100.0 * self.launch.metric(&metric).filter(|own| *own > 0.0)? / most?, metric.clone()));
        own().or_else(|| self.any(&[nvprof]))
    }

    /// Percentage of executed instructions for which `is_one` returns true; `None` if the profile has no
    /// counts by opcode.
    pub(super) fn share(&self, is_one: impl Fn(&OpcodeCount) -> bool) -> Option<Computed> {
        let all: f64 = self.executed.iter().map(|own| own.count).sum();
        let those: f64 = self.executed.iter().filter(|own| is_one(own)).map(|own| own.count).sum();
        // An empty sum is a negative zero.
        let share = 100.0 * those / all + 0.0;
        (all > 0.0).then(|| (share, "executed instructions by opcode".to_owned()))
    }

    pub(super) fn share_of(&self, mnemonic: &str, has: impl Fn(&str) -> bool) -> Option<Computed> {
        self.share(|own| own.mnemonic() == mnemonic && has(&own.opcode))
    }

    pub(super) fn share_of_pipe(&self, pipe: &str) -> Option<Computed> {
        self.share(|own| own.class(self.gpu).is_some_and(|class| self.gpu.arch.pipe_of(class).name == pipe))
    }

    /// The achieved and the ideal instructions per cycle.
    pub(super) fn ipc(&self) -> Option<(f64, f64)> {
        stalls::ipc(self.launch, self.gpu)
    }
}
