//! Cycles, latencies and the doubts about them, in words.

use crate::engine::issue_simulation::Doubt;
use crate::words::numbers::counted;
use model::{LatencyKind, LatencyNote};

/// `1 cycle`, `20 cycles`.
pub(crate) fn in_cycles(cycles: u64) -> String {
    counted(cycles as usize, "cycle")
}

/// Why an issue cycle is an estimate, in a sentence; `name` says which instruction.
pub(crate) fn estimated(doubt: Doubt, name: impl FnOnce(u32) -> String) -> String {
    match doubt {
        Doubt::Addresses(inst) => format!(
            "Estimated: issue cycles are those of a warp without a launch, and take the request of {} to be as cheap as can be.",
            name(inst)
        ),
        Doubt::Unmeasured(inst) => {
            format!("Estimated: the times of {} were not measured.", name(inst))
        }
    }
}

/// `4 cycles (fixed by the pipeline)`, `about 33 cycles (variable: a scoreboard orders it; estimated)`.
pub(crate) fn latency_in_words(note: &LatencyNote) -> String {
    let LatencyNote { cycles, kind, source } = note;
    let estimated = if source.is_estimate() { "; estimated" } else { "" };
    match kind {
        LatencyKind::Fixed => format!("{cycles} cycles (fixed by the pipeline{estimated})"),
        LatencyKind::Variable => {
            format!("about {cycles} cycles (variable: a scoreboard orders it{estimated})")
        }
        LatencyKind::Unknown => format!("{cycles} cycles (unknown{estimated})"),
    }
}

/// True where a latency's number must not be read as exact.
pub(crate) fn is_estimate(note: &LatencyNote) -> bool {
    note.kind != LatencyKind::Fixed || note.source.is_estimate()
}
