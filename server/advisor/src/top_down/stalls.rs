//! The stalled share of issue slots (DrGPU, Equation 1), and its split by stall reason.

use super::reasons::{Category, REASONS, Reason};
use machine::Gpu;
use profile::Launch;
use serde::Serialize;

/// The data that determines how stalls are split by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Per-cycle counts of the warps in each state: `smsp__average_warps_issue_stalled_*_per_issue_active.ratio`.
    Counters,
    /// Samples of warp states: `smsp__pcsamp_warps_issue_stalled_*`.
    Samples,
    /// Percentages of nvprof: `stall_*`.
    Nvprof,
}

impl Basis {
    /// All sources of data, the most accurate source first.
    const ALL: [Self; 3] = [Self::Counters, Self::Samples, Self::Nvprof];

    /// Returns the name of a stall reason's metric.
    fn metric(self, reason: &str) -> String {
        match self {
            Self::Counters => format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"),
            Self::Samples => samples_metric(reason),
            Self::Nvprof => format!("stall_{reason}"),
        }
    }

    /// Returns the title for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Counters => "warp state counters",
            Self::Samples => "warp state samples",
            Self::Nvprof => "nvprof's stall reasons",
        }
    }
}

fn samples_metric(reason: &str) -> String {
    format!("smsp__pcsamp_warps_issue_stalled_{reason}")
}

/// Name of the per-instruction metric with the samples of a reason; `None` if the launch has no such samples.
pub(super) fn column(launch: &Launch, reason: &Reason) -> Option<String> {
    reason.names().map(samples_metric).find(|name| launch.instructions.has(name))
}

/// Amounts of stalls by reason, in the profile's unit, without zero amounts. They come from the most accurate
/// source of data in the profile; `None` if the profile has no stall data.
pub(super) fn amounts(launch: &Launch) -> Option<(Basis, Vec<(&'static Reason, f64)>)> {
    Basis::ALL.into_iter().find_map(|basis| {
        let amount = |reason: &Reason| {
            let metric = || reason.names().find_map(|name| launch.metric(&basis.metric(name)));
            let of_instructions = || Some(launch.instructions.total(&column(launch, reason)?));
            metric().or_else(|| if basis == Basis::Samples { of_instructions() } else { None })
        };
        let amounts = REASONS.iter().filter_map(|reason| Some((reason, amount(reason)?)));
        let amounts: Vec<_> = amounts.filter(|(_, amount)| *amount > 0.0).collect();
        (!amounts.is_empty()).then_some((basis, amounts))
    })
}

/// The achieved and the ideal instructions per cycle of an SM; `None` if the profile lacks the metrics.
pub(super) fn ipc(launch: &Launch, gpu: &Gpu) -> Option<(f64, f64)> {
    // The first metric is the quotient of the two sums, but not every metric set contains it.
    let by_sums = || {
        let cycles = launch.metric("sm__cycles_active.sum").filter(|cycles| *cycles > 0.0)?;
        Some(launch.metric("smsp__inst_executed.sum")? / cycles)
    };
    let achieved = launch.metric("sm__inst_executed.avg.per_cycle_active").or_else(|| launch.metric("ipc"));
    let achieved = achieved.or_else(by_sums)?;
    let ideal = launch
        .metric("device__attribute_num_schedulers_per_multiprocessor")
        .unwrap_or_else(|| f64::from(gpu.arch.resources.schedulers.value));
    Some((achieved, ideal))
}

/// The stalled share of issue slots, 0 to 1 (Equation 1).
pub(super) fn stalled(achieved: f64, ideal: f64) -> f64 {
    ((ideal - achieved) / ideal).clamp(0.0, 1.0)
}

/// Fraction of a warp's time spent in stalls for these reasons, 0 to 1, from the profile's most accurate
/// source of data. `None` if the profile lacks the time in which the warp could issue.
pub(super) fn of_warp_time(launch: &Launch, is_one: impl Fn(&Reason) -> bool) -> Option<f64> {
    let (basis, amounts) = amounts(launch)?;
    let issuing = |state: &str| {
        launch.metric(&basis.metric(state)).or_else(|| {
            let column = samples_metric(state);
            (basis == Basis::Samples && launch.instructions.has(&column))
                .then(|| launch.instructions.total(&column))
        })
    };
    let working = issuing("selected")? + issuing("not_selected")?;
    let stalled: f64 = amounts.iter().map(|(_, amount)| amount).sum();
    let own: f64 = amounts.iter().filter(|(reason, _)| is_one(reason)).map(|(_, amount)| amount).sum();
    Some(own / (stalled + working)).filter(|share| share.is_finite())
}

/// True if the warps wait for global or local memory: for a result, for queue space, or for their last
/// stores.
pub(super) fn is_of_memory(reason: &Reason) -> bool {
    reason.category == Category::DeviceMemory || reason.name == "drain"
}

/// Reasons that every version of Nsight Compute reports on every GPU.
pub(super) const COMMON: [&str; 5] =
    ["long_scoreboard", "barrier", "wait", "short_scoreboard", "math_pipe_throttle"];

/// Number of measured stall reasons if the profile lacks common reasons. `None` if all common reasons are
/// present, and always for samples and nvprof.
pub(super) fn measured_reasons(launch: &Launch, basis: Basis) -> Option<usize> {
    let is_measured = |reason: &Reason| match basis {
        Basis::Counters => reason.names().any(|name| launch.metrics.contains_key(&*basis.metric(name))),
        Basis::Samples | Basis::Nvprof => true,
    };
    let (common, all): (Vec<&Reason>, usize) = (
        REASONS.iter().filter(|reason| COMMON.contains(&reason.name)).collect(),
        REASONS.iter().filter(|reason| is_measured(reason)).count(),
    );
    (!common.into_iter().all(is_measured)).then_some(all)
}
