//! Predictions of whole launches, as data: for `warplens predict`, the lens over a kernel, and the panel's roofline.

pub(crate) mod by_paper;
mod convolution;
mod cycles;
pub(crate) mod effort;
mod launch;
mod question;
mod rates;
mod roofline;
mod stated;

pub use effort::FULL_EFFORT;
pub(crate) use launch::stalls;
pub(crate) use question::Question;
pub use rates::{Achieved, Ceiling, Rates};
pub use roofline::Roofline;
pub(crate) use roofline::roofline;
pub use stated::{StatedLaunches, UnmatchedLaunch};
pub(crate) use stated::{assumed_launches, stated_launches};

pub use crate::engine::measured::{ProfileFile, Taken};
use crate::kernels::report::{OccupancyReport, Resources};
pub use crate::words::kind_names::bottleneck_meaning;
use crate::words::to_state::ToState;
pub use convolution::ConvolutionReport;
use serde::{Serialize, Serializer};

/// One launch of one kernel.
#[derive(Debug, Clone, Serialize)]
pub struct LaunchPrediction {
    /// The launch's name; null if it has none.
    pub launch: Option<String>,
    /// The function's name in the listing.
    pub function: String,
    /// The demangled C++ name; null if the name is not mangled.
    pub demangled: Option<String>,
    /// The part's name.
    pub gpu: String,
    /// `pipeline`, or `paper` if that does not apply.
    pub model: &'static str,
    /// Cycles from the launch to its end, as ncu's `sm__cycles_elapsed.max` counts them; null if they depend on
    /// instructions without measured timings, or on the contents of memory, by too much for a figure.
    pub cycles: Option<f64>,
    /// Time of these cycles in microseconds at the part's boost clock; null if `cycles` is.
    pub microseconds: Option<f64>,
    pub clock_mhz: u32,
    pub limiter: LimitedBy,
    pub resources: Resources,
    pub occupancy: OccupancyReport,
    pub waves: Waves,
    /// Warp instructions executed by the whole launch.
    pub instructions: f64,
    /// Rates of the launch, each with the part's peak rate.
    pub rates: Rates,
    /// Fraction of sectors found in the L1 cache, and fraction of the others found in the L2 cache; null if no sector
    /// is requested, and without a simulation.
    pub l1_hit: Option<f64>,
    pub l2_hit: Option<f64>,
    /// Fraction of the warps' waiting by reason, the largest first, without `not_selected`; empty without a simulation.
    #[serde(serialize_with = "as_map")]
    pub stalls: Vec<(&'static str, f64)>,
    /// Busy fraction of each resource, the busiest first; empty without a simulation.
    #[serde(serialize_with = "as_map")]
    pub busy: Vec<(&'static str, f64)>,
    /// Figures of the convolution layer, if the launch states one; else null.
    pub convolution: Option<ConvolutionReport>,
    /// Names of the guesses: `trips:0x2a0`, `addresses:0x4b0`, `width:arg2`, `registers`, `shared`, `params`, `launch`,
    /// `gpu`.
    pub assumed: Vec<String>,
    /// The assumptions as part of a sentence: `the usual GPU for the code's architecture; how often the loop at 0x2a0
    /// runs`.
    pub assumed_in_words: String,
    /// Fraction of the SM's work that was simulated, 0 to 1; null for `paper`.
    pub simulated: Option<f64>,
    /// One sentence each.
    pub notes: Vec<String>,
    /// The cycles in a few words, the same in all views.
    pub cycles_in_words: String,
    /// True if less of the launch was simulated than for its full figure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// The missing values, if the bounds of the cycles are too far apart to be a figure; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_state: Option<ToState>,
    /// Lower and upper bound of the cycles if they depend on unknown values; else null.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Data taken from a given or attached profile; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Taken>,
}

/// Limiter of a launch: a resource, a stall reason or a bottleneck.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LimitedBy {
    pub kind: LimitKind,
    /// Name of the resource (`DRAM`, `FMA`), the stall reason in ncu's words, or the bottleneck (`pipe`).
    pub name: String,
    /// Busy fraction of the resource, fraction of the waiting, or the bottleneck's value; 0 to 1. Null if instructions
    /// are not timed.
    pub share: Option<f64>,
}

/// Kind of limit; it decides what the name and the share in [`LimitedBy`] mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// A resource is busy most of the time.
    Busy,
    /// No resource is busy: warps wait, mostly for the named reason.
    Latency,
    /// The worst of the `paper` model's bottlenecks.
    Bottleneck,
    /// Instructions without measured timings: those of the named mnemonic affect the cycles most.
    NotTimed,
}

impl LimitedBy {
    /// One cell of a table: `DRAM`, `latency:long_scoreboard`, `bottleneck:pipe`, `not timed:HGMMA`.
    pub fn code(&self) -> String {
        match self.kind {
            LimitKind::Busy => self.name.clone(),
            LimitKind::Latency => format!("latency:{}", self.name),
            LimitKind::Bottleneck => format!("bottleneck:{}", self.name),
            LimitKind::NotTimed => format!("not timed:{}", self.name),
        }
    }

    /// `DRAM 93 %`, `latency (long_scoreboard 71 %)`, `unused memory width (mem 0.83 of 1)`,
    /// `not timed: HGMMA`.
    pub fn in_words(&self) -> String {
        let Self { kind, name, share } = self;
        let share = share.unwrap_or(0.0);
        let percent = share * 100.0;
        match kind {
            LimitKind::Busy => format!("{name} {percent:.0} %"),
            LimitKind::Latency => format!("latency ({name} {percent:.0} %)"),
            LimitKind::Bottleneck => format!("{} ({name} {share:.2} of 1)", bottleneck_meaning(name)),
            LimitKind::NotTimed => format!("not timed: {name}"),
        }
    }
}

/// Waves of a launch: how many times it fills the part with blocks (Equation 16 of the ICS'17 paper).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Waves {
    /// Number of blocks that the part can hold at once.
    pub blocks_at_once: u64,
    /// Blocks of the launch divided by `blocks_at_once`.
    pub exact: f64,
    /// `exact` rounded up: the paper's `Block_iters`.
    pub count: u64,
    /// Fraction of the part that the last wave fills, above 0 to 1.
    pub last: f64,
}

fn as_map<S: Serializer>(shares: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(shares.iter().copied())
}
