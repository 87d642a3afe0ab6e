//! Results that all timing models share.

use crate::Register;
use crate::paper::CodeTimes;
use machine::Source;
use std::sync::Arc;

/// Name of a timing model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelName {
    /// The published equations of ICS'17.
    Paper,
    /// The issue simulation, from the control codes.
    Pipeline,
}

impl ModelName {
    /// Returns the name used in settings and reports, such as `pipeline`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Pipeline => "pipeline",
        }
    }
}

/// The times of a kernel launch.
#[derive(Debug, Clone)]
pub struct Timing {
    pub model: ModelName,
    /// Times that are the same for every launch.
    pub code: Arc<CodeTimes>,
    pub kernel: KernelTiming,
}

/// The times of one instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstTiming {
    /// The paper's E: the reciprocal of the instruction's dispatch cycles; 0 < E <= 1.
    pub efficiency: f64,
    /// Cycles from issue until the result can be used; `None` if the instruction has no result.
    pub latency: Option<u32>,
    pub latency_kind: LatencyKind,
    /// Issue cycle of a single warp, counted from the start of the basic block.
    pub issue_cycle: u32,
    /// Index of the instruction's first dependence in the list of all dependences, and the number of its
    /// dependences.
    pub(crate) depends_on: (u32, u16),
    /// True if the instruction is on the critical path of its block.
    pub critical: bool,
}

/// Mechanism that makes a dependent instruction wait for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyKind {
    /// Fixed by the pipeline.
    Fixed,
    /// Signalled by a scoreboard; the number is a typical value.
    Variable,
    /// The latency is unknown.
    Unknown,
}

/// A result that an instruction waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependsOn {
    /// Index of the instruction that writes the result.
    pub on: u32,
    pub register: Register,
    /// Cycles from the writer's issue until the dependent instruction may issue.
    pub cycles: u32,
    pub latency_kind: LatencyKind,
}

/// Times of a kernel that depend on the launch.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTiming {
    /// Cycles of the launch; `None` if a loop's trip count is unknown.
    pub cycles: Option<f64>,
    /// Reasons for missing cycles, and assumptions: a sentence each.
    pub notes: Vec<String>,
    /// Share of the SM's single-precision lanes busy with floating-point work, 0 to 1.
    pub sp_efficiency: Option<f64>,
    /// Warp instructions that an SM issues per cycle.
    pub ipc: Option<f64>,
    pub occupancy: Occupancy,
    pub bottlenecks: Bottlenecks,
}

/// Blocks and warps of a launch that an SM holds at a time, and the resource that limits them.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    pub active_blocks: u32,
    pub active_warps: u32,
    pub max_warps: u32,
    pub limiter: OccupancyLimiter,
    /// Number of blocks that an SM could hold under each limit alone.
    pub limits: Vec<(OccupancyLimiter, u32)>,
}

impl Occupancy {
    /// Returns the active warps as a share of the maximum, 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.active_warps) / f64::from(self.max_warps.max(1))
    }
}

/// Resource that keeps an SM from holding more blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OccupancyLimiter {
    Warps,
    Blocks,
    Registers,
    Shared,
    Barriers,
    /// The launch requests more than a single block may have.
    Impossible,
}

/// The paper's four bottlenecks, 0 (best) to 1 (worst); `None` if the kernel has no instructions of the kind that the
/// bottleneck rates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bottlenecks {
    pub ilp: Option<f64>,
    pub comp: Option<f64>,
    pub mem: Option<f64>,
    pub pipe: Option<f64>,
}

impl Timing {
    /// Returns the times of each instruction, in text order.
    pub fn instructions(&self) -> &[InstTiming] {
        &self.code.instructions
    }

    /// Returns the dependences of an instruction.
    pub fn depends_on(&self, inst: usize) -> &[DependsOn] {
        self.code.depends_on(inst)
    }
}

/// A latency for display in a hover.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyNote {
    pub cycles: u32,
    pub kind: LatencyKind,
    pub source: Source,
}
