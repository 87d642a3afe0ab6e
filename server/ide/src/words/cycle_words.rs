//! Wording of cycle counts, latencies and their uncertainty.

use crate::engine::issue_simulation::EstimateReason;
use crate::words::numbers::thousands;
use model::{LatencyKind, LatencyNote};

/// Formats a cycle count: `1 cycle`, `20 cycles`.
pub(crate) fn in_cycles(cycles: u64) -> String {
    format!("{} cycle{}", thousands(cycles as f64), if cycles == 1 { "" } else { "s" })
}

/// Returns a sentence that explains why an issue cycle is an estimate. `name` formats an instruction index.
pub(crate) fn estimated(doubt: EstimateReason, name: impl FnOnce(u32) -> String) -> String {
    match doubt {
        EstimateReason::Addresses(inst) => {
            format!(
                "Estimated: {} is counted as one coalesced request, regardless of the launch.",
                name(inst)
            )
        }
        EstimateReason::Unmeasured(inst) => {
            format!("Estimated: {} has not been timed.", name(inst))
        }
    }
}

/// Formats a latency: `4 cycles (fixed by the pipeline)`, `about 33 cycles (variable, signalled by a
/// scoreboard)`.
pub(crate) fn latency_in_words(note: &LatencyNote) -> String {
    let LatencyNote { cycles, kind, source } = note;
    let estimated = if source.is_estimate() { "; estimated" } else { "" };
    match kind {
        LatencyKind::Fixed => format!("{cycles} cycles (fixed by the pipeline{estimated})"),
        LatencyKind::Variable => {
            format!("about {cycles} cycles (variable, signalled by a scoreboard{estimated})")
        }
        LatencyKind::Unknown => format!("{cycles} cycles (fixed or variable: unknown{estimated})"),
    }
}

/// True if a latency is not exact: it is variable, or its source is an estimate.
pub(crate) fn is_estimate(note: &LatencyNote) -> bool {
    note.kind != LatencyKind::Fixed || note.source.is_estimate()
}
