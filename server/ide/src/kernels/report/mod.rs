//! The analysis of a file as data: the output of `warplens analyze`. The serialised form is the JSON
//! contract, schema 1.

mod advice;
mod fill;
pub(crate) mod line_cost;
mod metrics;
mod predicted;
mod reports;
mod resources;
mod statements;
mod whole;

pub(crate) use fill::of_kernel;
pub use reports::{ReportSections, Reports};
pub(crate) use resources::{is_shared_unknown, occupancy_report, resources_report};
pub(crate) use whole::{outline, whole_report};

pub use line_cost::LineCost;
pub use metrics::{LoopReport, MetricsReport};

pub use advice::{AdviceReport, CauseReport, FoundReport, StepReport};

use crate::words::to_state::UnstatedInputs;
use serde::Serialize;
use std::collections::BTreeMap;

/// The report of `analyze --format json`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub schema: u32,
    /// Name of the part. If the file has code for several GPUs: the names of all parts.
    pub gpu: String,
    /// Model of the issue cycles and stalls of instructions: `pipeline` or `paper`; both if kernels
    /// differ.
    pub model: String,
    pub kernels: Vec<KernelReport>,
}

/// Report of one kernel at one launch.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    /// Name of the function in the listing.
    pub name: String,
    /// Demangled C++ name; null if the name is not mangled.
    pub demangled: Option<String>,
    /// Name of the launch; null if it is unnamed.
    pub launch: Option<String>,
    /// Architecture named by the listing, otherwise the assumed architecture.
    pub arch: String,
    pub resources: Resources,
    pub occupancy: OccupancyReport,
    /// Cycles of the launch; null if the cycles are unknown or omitted. `notes` states the reason.
    pub cycles: Option<f64>,
    /// Lower bound on the cycles. `low` and `high` are the ends of a range of cycles, or of the interval in which nine
    /// of ten measured launches lie. Null if neither is known.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Mnemonic without measured timings that affects the cycles most; null if the cycles do not depend
    /// on such instructions.
    pub not_timed: Option<String>,
    /// Mnemonic at which warps wait without end in the simulation; null if all waits end.
    pub endless_wait: Option<String>,
    /// Formatted cycles, with the same text in all views.
    pub cycles_in_words: String,
    /// Values that the user must state before cycles can be shown; absent if no value is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_state: Option<UnstatedInputs>,
    /// True if the simulation ran with less than the full budget. An editor shows the cycles of the full simulation
    /// later.
    pub quick: bool,
    /// Model of `cycles`, `ipc` and `stalls`. The `paper` model has no stalls.
    pub cycles_model: &'static str,
    pub sp_efficiency: Option<f64>,
    pub ipc: Option<f64>,
    pub bottlenecks: BottleneckReport,
    /// Advice for the launch; null if instructions or predictions were not requested, or if the file has too many
    /// assumed launches.
    pub advice: Option<AdviceReport>,
    /// Largest number of live registers at any instruction, for each register kind.
    pub max_live: LiveReport,
    /// Fraction of the stalls by reason, without `selected` and `not_selected`; null if the model has
    /// no stalls.
    pub stalls: Option<BTreeMap<String, f64>>,
    /// Metrics as a profiler would count them; null for an assumed launch, or if no warp was simulated.
    pub metrics: Option<MetricsReport>,
    /// Sentences about assumptions and unknown facts.
    pub notes: Vec<String>,
    /// True if the launch is not predicted. The notes state the reason.
    #[serde(skip)]
    pub is_left_out: bool,
    /// Number of instructions of the kernel. `instructions` may contain fewer.
    #[serde(skip)]
    pub instruction_count: usize,
    pub instructions: Vec<InstructionReport>,
    /// Costs per source line of the code's line table. For estimated PTX: costs of the document's own
    /// lines, with an empty file name. Absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineCost>>,
}

/// Registers per thread, shared memory per block, and dimensions of the launch, with their sources.
#[derive(Debug, Clone, Serialize)]
pub struct Resources {
    pub registers: u32,
    /// Source of the register count: `launch`, `listing`, `inferred` or `assumed`.
    pub registers_source: &'static str,
    /// Bytes of shared memory per block.
    pub shared: u32,
    pub shared_source: &'static str,
    /// True if the kernel uses shared memory of unknown size.
    #[serde(skip)]
    pub shared_unknown: bool,
    /// Bytes of the stack frame per thread; null if the code reserves no frame or a frame of unknown
    /// size.
    pub stack: Option<u32>,
    /// Bytes stored by register spills, as in `ptxas -v`: each instruction counts once. `spill_loads`
    /// are the bytes loaded by register spills.
    pub spill_stores: u32,
    pub spill_loads: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// True if the grid and the block are assumed.
    pub launch_assumed: bool,
}

impl Resources {
    /// Returns the mark in front of the size of shared memory: `~` if the size was inferred from the
    /// code, otherwise empty.
    pub fn shared_mark(&self) -> &'static str {
        if self.shared_source == "inferred" && self.shared > 0 { "~" } else { "" }
    }
}

/// Blocks and warps resident on an SM at once, and the resource that limits them.
#[derive(Debug, Clone, Serialize)]
pub struct OccupancyReport {
    pub active_blocks: u32,
    pub active_warps: u32,
    pub max_warps: u32,
    /// Active warps divided by the largest possible number of warps, 0 to 1.
    pub fraction: f64,
    pub limiter: String,
}

/// Bottlenecks of the ICS'17 paper, 0 (best) to 1; null if the kernel has no instructions of the
/// relevant kind.
#[derive(Debug, Clone, Serialize)]
pub struct BottleneckReport {
    pub ilp: Option<f64>,
    pub comp: Option<f64>,
    pub mem: Option<f64>,
    pub pipe: Option<f64>,
}

/// Facts and figures about one instruction, or for PTX about one statement.
#[derive(Debug, Clone, Default, Serialize)]
pub struct InstructionReport {
    /// Address of the instruction. For PTX: address of the most significant instruction of the expected
    /// SASS.
    pub address: u32,
    /// False for listings without addresses. `address` is then the address that an assembler would
    /// assign.
    #[serde(skip)]
    pub address_printed: bool,
    /// Line in the file, 1-based.
    pub line: u32,
    /// Text of the instruction, from the guard to the last operand.
    pub text: String,
    /// Opcode with its modifiers.
    pub opcode: String,
    /// Pipe of the instruction; null for an unknown opcode.
    pub pipe: Option<String>,
    /// Control code; null if the text has none for the instruction.
    pub control: Option<ControlReport>,
    /// Efficiency E of the ICS'17 paper: 1 divided by the cycles for which the instruction's dispatch occupies its
    /// unit. Null, like all figures, for a PTX statement that produces no SASS.
    pub efficiency: Option<f64>,
    pub latency: Option<LatencyReport>,
    pub issue_cycle: Option<u32>,
    /// True if the instruction starts a basic block; `None` if the issue cycles already show the block
    /// starts.
    #[serde(skip)]
    pub starts_block: Option<bool>,
    /// Stall of the instruction; null if the `pipeline` model does not apply.
    pub stall: Option<StallReport>,
    pub depends_on: Vec<DependsOnReport>,
    /// Average number of executions per simulated warp of the launch; null if no warp was simulated.
    pub executed: Option<f64>,
    /// Average number of active lanes per execution.
    pub lanes: Option<f64>,
    /// Cost of the memory access; null if the instruction accesses no memory.
    pub memory: Option<MemoryReport>,
    pub live: Option<LiveReport>,
    /// For PTX, the SASS instructions expected from ptxas. Absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sass: Option<Vec<SassReport>>,
}

/// A SASS instruction expected for a PTX statement. It was not compiled.
#[derive(Debug, Clone, Serialize)]
pub struct SassReport {
    pub address: u32,
    pub text: String,
    pub pipe: Option<String>,
    pub issue_cycle: Option<u32>,
}

/// Number of live registers of each kind at an instruction. A live register is read later or written by
/// the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LiveReport {
    pub gpr: u16,
    pub predicate: u16,
    pub uniform: u16,
    pub uniform_predicate: u16,
}

/// Decoded control code of an instruction. Scoreboards are numbered from 0.
#[derive(Debug, Clone, Serialize)]
pub struct ControlReport {
    pub stall: Option<u8>,
    #[serde(rename = "yield")]
    pub yields: bool,
    pub write_barrier: Option<u8>,
    pub read_barrier: Option<u8>,
    pub wait: Vec<u8>,
    /// Operand slots with a reuse flag.
    pub reuse: Vec<u8>,
    pub dual: bool,
    /// Kepler control code in the notation of KeplerAs, `-:-:D:-:04`; absent for Maxwell and later
    /// architectures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kepler: Option<String>,
}

/// Cycles from the issue of an instruction until a dependent instruction can use its result.
#[derive(Debug, Clone, Serialize)]
pub struct LatencyReport {
    pub cycles: u32,
    /// Kind of the latency: `fixed` or `variable`.
    pub kind: &'static str,
    pub source: String,
}

/// Cycles for which an instruction stalls before its issue, and the stall reason.
#[derive(Debug, Clone, Serialize)]
pub struct StallReport {
    /// Number of cycles strictly between the previous instruction's issue and this instruction's issue.
    /// 0 means no stall.
    pub cycles: u32,
    /// Stall reason with ncu's name (`long_scoreboard`); null if there is no stall.
    pub reason: Option<&'static str>,
    /// Address of the instruction that caused the stall; null if no instruction caused it.
    pub on_address: Option<u32>,
    /// For PTX, the line of the instruction at `on_address`; absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_line: Option<u32>,
}

/// A result that the instruction waits for. `address` is the address of the writer.
#[derive(Debug, Clone, Serialize)]
pub struct DependsOnReport {
    pub address: u32,
    /// Name of the register, such as `R12` or `P0`.
    pub resource: String,
    /// Kind of the writer's latency: `fixed` or `variable`.
    pub kind: &'static str,
    pub cycles: u32,
    /// For PTX, the line of the writer; absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Average number of wavefronts and sectors per request of an instruction, and their minimum.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryReport {
    pub space: &'static str,
    pub bytes_per_lane: u8,
    pub wavefronts: Option<f64>,
    pub wavefronts_ideal: Option<f64>,
    pub sectors: Option<f64>,
    pub sectors_ideal: Option<f64>,
    /// False if an address or the set of active lanes depends on the contents of memory or on an
    /// unstated value. Null if no warp of the launch was simulated.
    pub known: Option<bool>,
    /// Number of requests per warp with at least one active lane; null if the warps were not simulated
    /// to their end.
    pub executed: Option<f64>,
}
