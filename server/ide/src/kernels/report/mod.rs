//! The analysis of a file as data: the output of `warplens analyze`. Serialised, it is the JSON contract, schema 1.

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
pub use reports::{Reports, Wanted};
pub(crate) use resources::{is_shared_unknown, occupancy_report, resources_report};
pub(crate) use whole::{outline, whole_report};

pub use line_cost::LineCost;
pub use metrics::{LoopReport, MetricsReport};

pub use advice::{AdviceReport, CauseReport, FoundReport, StepReport};

use crate::words::to_state::ToState;
use serde::Serialize;
use std::collections::BTreeMap;

/// The report of `analyze --format json`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub schema: u32,
    /// The part's name; if the file has code for several GPUs, all names by architecture.
    pub gpu: String,
    /// The model of issue cycles and of each instruction's stall: `pipeline` or `paper`; both if kernels differ.
    pub model: String,
    pub kernels: Vec<KernelReport>,
}

/// One kernel at one launch.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    /// The function's name in the listing.
    pub name: String,
    /// The demangled C++ name; null if the name is not mangled.
    pub demangled: Option<String>,
    /// The launch's name; null if it has none.
    pub launch: Option<String>,
    /// The architecture that the listing names, else the assumed one.
    pub arch: String,
    pub resources: Resources,
    pub occupancy: OccupancyReport,
    /// Cycles of the launch; null if they are unknown or left out, for the reason in `notes`.
    pub cycles: Option<f64>,
    /// Lower and upper bound of the cycles if they depend on unknown values; else null.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Mnemonic of the instructions without measured timings that the cycles depend on; else null.
    pub not_timed: Option<String>,
    /// The cycles in a few words, the same in all views.
    pub cycles_in_words: String,
    /// Missing values, if the bounds of the cycles are too far apart to be a figure; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_state: Option<ToState>,
    /// True if less of the launch was simulated than for its full figure, which an editor shows later.
    pub quick: bool,
    /// The model of `cycles`, `ipc` and `stalls`; `paper` has no stalls.
    pub cycles_model: &'static str,
    pub sp_efficiency: Option<f64>,
    pub ipc: Option<f64>,
    pub bottlenecks: BottleneckReport,
    /// Null in a report without instructions, if predictions are not requested, or if the file's budget for assumed
    /// launches leaves this one out.
    pub advice: Option<AdviceReport>,
    /// Largest number of live registers of each kind at any one instruction.
    pub max_live: LiveReport,
    /// Fraction of the stalls by reason, without `selected` and `not_selected`; null if no model gives them.
    pub stalls: Option<BTreeMap<String, f64>>,
    /// Metrics as profilers would count them; null for an assumed launch, and if no warp was run.
    pub metrics: Option<MetricsReport>,
    /// Sentences on what was assumed or could not be known.
    pub notes: Vec<String>,
    /// True if the launch is not predicted; the notes give the reason.
    #[serde(skip)]
    pub is_left_out: bool,
    /// Number of instructions of the kernel, even if `instructions` holds fewer.
    #[serde(skip)]
    pub instruction_count: usize,
    pub instructions: Vec<InstructionReport>,
    /// Costs of the source lines in the code's line table. For estimated PTX, the costs of the document's own lines,
    /// with an empty file name. Absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineCost>>,
}

/// Registers of a thread, shared memory of a block and the launch's dimensions, with sources.
#[derive(Debug, Clone, Serialize)]
pub struct Resources {
    pub registers: u32,
    /// `launch`, `listing`, `inferred` or `assumed`.
    pub registers_source: &'static str,
    /// Bytes per block.
    pub shared: u32,
    pub shared_source: &'static str,
    /// True if the kernel uses shared memory of unknown size.
    #[serde(skip)]
    pub shared_unknown: bool,
    /// Bytes of a thread's stack frame; null if the code reserves no frame, or one of unknown size.
    pub stack: Option<u32>,
    /// Bytes stored and loaded by register spills, each instruction counted once, as in `ptxas -v`.
    pub spill_stores: u32,
    pub spill_loads: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// True if grid and block are assumed.
    pub launch_assumed: bool,
}

impl Resources {
    /// The mark for shared memory whose size is a guess: `~` if it was inferred from the code.
    pub fn shared_mark(&self) -> &'static str {
        if self.shared_source == "inferred" && self.shared > 0 { "~" } else { "" }
    }
}

/// Blocks and warps of the launch resident on an SM at once, and the resource that limits them.
#[derive(Debug, Clone, Serialize)]
pub struct OccupancyReport {
    pub active_blocks: u32,
    pub active_warps: u32,
    pub max_warps: u32,
    /// 0 to 1.
    pub fraction: f64,
    pub limiter: String,
}

/// The paper's bottlenecks, 0 (best) to 1; null if the kernel has no instructions of that kind.
#[derive(Debug, Clone, Serialize)]
pub struct BottleneckReport {
    pub ilp: Option<f64>,
    pub comp: Option<f64>,
    pub mem: Option<f64>,
    pub pipe: Option<f64>,
}

/// Facts and figures of one instruction; for PTX, of one statement.
#[derive(Debug, Clone, Default, Serialize)]
pub struct InstructionReport {
    /// Address of the instruction; for PTX, of the most significant instruction of the expected SASS.
    pub address: u32,
    /// False for sources that print no addresses; `address` is then the one an assembler would assign.
    #[serde(skip)]
    pub address_printed: bool,
    /// Line in the file, 1-based.
    pub line: u32,
    /// The instruction's text from the guard to the last operand.
    pub text: String,
    /// The opcode with its modifiers.
    pub opcode: String,
    /// Null for an unknown opcode.
    pub pipe: Option<String>,
    /// Null if the text has no control code.
    pub control: Option<ControlReport>,
    /// Null, as all figures are, for PTX that produces no instruction.
    pub efficiency: Option<f64>,
    pub latency: Option<LatencyReport>,
    pub issue_cycle: Option<u32>,
    /// True if a basic block starts here; `None` if the issue cycles show it.
    #[serde(skip)]
    pub starts_block: Option<bool>,
    /// Null if the `pipeline` model does not apply.
    pub stall: Option<StallReport>,
    pub depends_on: Vec<DependsOnReport>,
    /// Executions per warp of the launch, averaged over the simulated warps; null if no warp was simulated.
    pub executed: Option<f64>,
    /// Active lanes per execution, on average.
    pub lanes: Option<f64>,
    /// Null if the instruction accesses no memory.
    pub memory: Option<MemoryReport>,
    pub live: Option<LiveReport>,
    /// For PTX, the SASS instructions expected from ptxas; absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sass: Option<Vec<SassReport>>,
}

/// A SASS instruction that PTX is expected to become, in a listing that was not compiled.
#[derive(Debug, Clone, Serialize)]
pub struct SassReport {
    pub address: u32,
    pub text: String,
    pub pipe: Option<String>,
    pub issue_cycle: Option<u32>,
}

/// Live registers of each kind: those whose value is read later, and those written there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LiveReport {
    pub gpr: u16,
    pub predicate: u16,
    pub uniform: u16,
    pub uniform_predicate: u16,
}

/// The decoded control code of an instruction; scoreboards count from 0.
#[derive(Debug, Clone, Serialize)]
pub struct ControlReport {
    pub stall: Option<u8>,
    #[serde(rename = "yield")]
    pub yields: bool,
    pub write_barrier: Option<u8>,
    pub read_barrier: Option<u8>,
    pub wait: Vec<u8>,
    /// Operand slots with the reuse flag.
    pub reuse: Vec<u8>,
    pub dual: bool,
    /// Kepler's code as KeplerAs writes it, `-:-:D:-:04`; absent for Maxwell and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kepler: Option<String>,
}

/// Cycles from an instruction's issue until its result can be used.
#[derive(Debug, Clone, Serialize)]
pub struct LatencyReport {
    pub cycles: u32,
    /// `fixed` or `variable`.
    pub kind: &'static str,
    pub source: String,
}

/// Cycles for which an instruction stalls before it issues, and the reason.
#[derive(Debug, Clone, Serialize)]
pub struct StallReport {
    /// Cycles strictly between the previous instruction's issue and this one's; 0: no stall.
    pub cycles: u32,
    /// Reason of the stall in ncu's terms (`long_scoreboard`); null if there is no stall.
    pub reason: Option<&'static str>,
    /// The instruction that is waited for, if the stall is on one.
    pub on_address: Option<u32>,
    /// For PTX, the line that the instruction at `on_address` belongs to; absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_line: Option<u32>,
}

/// A result that the instruction waits for, identified by the address of its writer.
#[derive(Debug, Clone, Serialize)]
pub struct DependsOnReport {
    pub address: u32,
    /// `R12`, `P0`.
    pub resource: String,
    /// `fixed` or `variable`.
    pub kind: &'static str,
    pub cycles: u32,
    /// For PTX, the line that the writer belongs to; absent for SASS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Average wavefronts and sectors of an instruction's requests, and the smallest possible numbers.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryReport {
    pub space: &'static str,
    pub bytes_per_lane: u8,
    pub wavefronts: Option<f64>,
    pub wavefronts_ideal: Option<f64>,
    pub sectors: Option<f64>,
    pub sectors_ideal: Option<f64>,
    /// False only if an address or the set of active lanes depends on the contents of memory or on a value that is not
    /// stated; null if no warp of the launch was simulated.
    pub known: Option<bool>,
    /// Requests per warp, counting those with at least one active lane; null if the warps were not run to their end.
    pub executed: Option<f64>,
}
