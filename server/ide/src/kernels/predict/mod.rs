//! Predictions of launches as data: for `warplens predict`, the lens above a kernel, and the roofline in the panel.

pub(crate) mod by_paper;
mod convolution;
mod cycles;
pub(crate) mod effort;
mod error;
mod inputs;
mod launch;
mod rates;
mod roofline;
mod stated;

pub use effort::FULL_EFFORT;
pub use error::PredictError;
pub(crate) use inputs::PredictionInputs;
pub(crate) use launch::stalls;
pub use rates::{AchievedRate, Ceiling, Rates};
pub use roofline::Roofline;
pub(crate) use roofline::roofline;
pub use stated::{StatedLaunches, UnmatchedLaunch};
pub(crate) use stated::{assumed_launches, stated_launches};

pub use crate::engine::measured::{ProfileFile, UsedProfileData};
use crate::kernels::report::{OccupancyReport, Resources};
pub use crate::words::kind_names::bottleneck_meaning;
use crate::words::to_state::UnstatedInputs;
pub use convolution::ConvolutionReport;
use serde::{Serialize, Serializer};

/// Prediction of one launch of one kernel.
#[derive(Debug, Clone, Serialize)]
pub struct LaunchPrediction {
    /// Name of the launch; null if it is unnamed.
    pub launch: Option<String>,
    /// Name of the function in the listing.
    pub function: String,
    /// Demangled C++ name; null if the name is not mangled.
    pub demangled: Option<String>,
    /// Name of the GPU part.
    pub gpu: String,
    /// Model of the cycles: `pipeline`, or `paper` if `pipeline` does not apply.
    pub model: &'static str,
    /// Cycles from the start of the launch to its end, as counted by ncu's `sm__cycles_elapsed.max`.
    /// Null if instructions without measured timings or unknown values affect the cycles too much for a
    /// single figure.
    pub cycles: Option<f64>,
    /// Time of `cycles` in microseconds at the part's boost clock; null if `cycles` is null.
    pub microseconds: Option<f64>,
    pub clock_mhz: u32,
    pub limiter: LimitedBy,
    pub resources: Resources,
    pub occupancy: OccupancyReport,
    pub waves: Waves,
    /// Number of warp instructions that the launch executes.
    pub instructions: f64,
    /// Achieved rates of the launch, and the part's peak rates.
    pub rates: Rates,
    /// Fraction of requested sectors that hit in the L1 cache; null if no sector is requested, or if the launch is not
    /// simulated. `l2_hit` is the fraction of the L1 misses that hit in the L2 cache.
    pub l1_hit: Option<f64>,
    pub l2_hit: Option<f64>,
    /// Fraction of the warps' stall time by reason, largest first, without `not_selected`. Empty if the launch is not
    /// simulated, or if untimed instructions affect the cycles too much.
    #[serde(serialize_with = "as_map")]
    pub stalls: Vec<(&'static str, f64)>,
    /// Busy fraction of each resource, busiest first. Empty if the launch is not simulated, or if untimed instructions
    /// affect the cycles too much.
    #[serde(serialize_with = "as_map")]
    pub busy: Vec<(&'static str, f64)>,
    /// Figures of the convolution layer; null if the launch states no layer.
    pub convolution: Option<ConvolutionReport>,
    /// Codes of the assumptions: `launch`, `gpu`, `registers`, `shared`, `params`, `width:arg2`, `trips:0x2a0`,
    /// `addresses:0x4b0`, `slow_paths:0x4d0`, `constants:0x5c0`, `counters:0x5e0`.
    pub assumed: Vec<String>,
    /// The assumptions as part of a sentence: `the usual GPU for the code's architecture; the trip count of the loop at
    /// 0x2a0`.
    pub assumed_in_words: String,
    /// Fraction of the SM's work that was simulated, 0 to 1; null for the `paper` model.
    pub simulated: Option<f64>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
    /// Formatted cycles, with the same text in all views.
    pub cycles_in_words: String,
    /// True if the simulation ran with less than the full budget, so that a full simulation may still change the
    /// cycles.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// Values that the user must state before cycles can be shown; absent if no value is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_state: Option<UnstatedInputs>,
    /// Lower bound on the cycles. `low` and `high` are the ends of a range of cycles, or of the interval in which nine
    /// of ten measured launches lie. Null if neither is known.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Data from a given or attached profile; absent if no profile is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<UsedProfileData>,
}

/// Limiter of a launch: a resource, a stall reason or a bottleneck.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LimitedBy {
    pub kind: LimitKind,
    /// Name of the resource (`DRAM`, `FMA`), ncu's name of the stall reason, name of the bottleneck
    /// (`pipe`), or the mnemonic that is not timed or that waits without end.
    pub name: String,
    /// Busy fraction of the resource, fraction of the stall time, or value of the bottleneck, 0 to 1.
    /// Null if the cycles are unknown.
    pub share: Option<f64>,
}

/// Kind of limit. It determines the meaning of the name and the share in [`LimitedBy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// A resource is busy most of the time.
    Busy,
    /// No resource is busy most of the time. Warps stall, mostly for the named reason.
    Latency,
    /// The largest bottleneck of the `paper` model.
    Bottleneck,
    /// Instructions without measured timings. The named mnemonic affects the cycles most.
    NotTimed,
    /// In the simulation, warps wait without end at an instruction with the named mnemonic.
    EndlessWait,
}

impl LimitKind {
    /// True if the cycles are unknown, so that nothing is known to limit the launch.
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::NotTimed | Self::EndlessWait)
    }
}

impl LimitedBy {
    /// Formats the limit for a table cell: `DRAM`, `latency:long_scoreboard`, `bottleneck:pipe`, `not
    /// timed:HGMMA`.
    pub fn code(&self) -> String {
        match self.kind {
            LimitKind::Busy => self.name.clone(),
            LimitKind::Latency => format!("latency:{}", self.name),
            LimitKind::Bottleneck => format!("bottleneck:{}", self.name),
            LimitKind::NotTimed => format!("not timed:{}", self.name),
            LimitKind::EndlessWait => format!("endless wait:{}", self.name),
        }
    }

    /// Formats the limit for a sentence: `DRAM 93 %`, `latency (long_scoreboard 71 %)`, `unused memory
    /// width (mem 0.83 of 1)`, `not timed: HGMMA`.
    pub fn in_words(&self) -> String {
        let Self { kind, name, share } = self;
        let share = share.unwrap_or(0.0);
        let percent = share * 100.0;
        match kind {
            LimitKind::Busy => format!("{name} {percent:.0} %"),
            LimitKind::Latency => format!("latency ({name} {percent:.0} %)"),
            LimitKind::Bottleneck => format!("{} ({name} {share:.2} of 1)", bottleneck_meaning(name)),
            LimitKind::NotTimed => format!("not timed: {name}"),
            LimitKind::EndlessWait => format!("endless wait: {name}"),
        }
    }
}

/// Waves of a launch, that is, how often the launch fills the part with blocks (Equation 16 of the
/// ICS'17 paper).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Waves {
    /// Largest number of blocks resident on the part at once.
    pub blocks_at_once: u64,
    /// Blocks of the launch divided by `blocks_at_once`.
    pub exact: f64,
    /// `exact` rounded up: the paper's `Block_iters`.
    pub count: u64,
    /// Fraction of the part that the last wave fills, greater than 0 and at most 1.
    pub last: f64,
}

fn as_map<S: Serializer>(shares: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(shares.iter().copied())
}
