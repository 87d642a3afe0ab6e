//! Times in a hover: latency, issue cycle, dependences, and the GPU.

use super::stall;
use super::view::{View, register_in_text};
use crate::kernels::hints::of_miss;
use crate::words::cycle_words::{in_cycles, latency_in_words};
use crate::words::live;
use std::fmt::Write;

/// Writes the most important facts: share of the time, issue cycle, stall with its cause, latency.
///
/// Appends the offsets of the links to `links`, as in [`crate::Hover::links`].
pub(crate) fn write_first(view: &View<'_>, text: &mut String, links: &mut Vec<usize>) {
    text.push('\n');
    if let Some(shares) = &view.shares {
        let _ = writeln!(text, "- {}", shares.in_words(view.kernel, view.inst));
    }
    if let Some(issues) = view.issues {
        stall::write(view, issues, text, links);
    } else if view.has_cycles {
        let _ = writeln!(
            text,
            "- Issue cycle {} of its block ({}), for a single warp. Estimated by the `paper` model (ICS'17)",
            view.kernel.model.times.instructions[view.inst].issue_cycle,
            view.kernel.region(view.inst)
        );
    }
    if let Some(note) = view.kernel.latency_note(view.inst) {
        let miss = view.kernel.latency_of_miss(view.inst).map(|note| format!(".{}", of_miss(&note)));
        let miss = miss.unwrap_or_default();
        let _ = writeln!(text, "- Latency: {}. Source: {}{miss}", latency_in_words(&note), note.source);
    }
    let _ = writeln!(text, "- GPU: {}", view.kernel.target.describe());
}

/// Writes lines about the pipe, the instruction's dependences and the live registers.
pub(crate) fn write_rest(view: &View<'_>, text: &mut String) {
    let model = &view.kernel.model;
    text.push('\n');
    if let Some(class) = model.program.instructions[view.inst].class {
        let arch = &model.program.arch;
        let (pipe, class) = (arch.pipe_of(class), arch.class(class));
        let _ = writeln!(
            text,
            "- Pipe {}: busy {} per warp instruction ({})",
            pipe.name,
            in_cycles(class.issue_cycles.value.into()),
            class.issue_cycles.source
        );
    }
    for dependence in model.times.depends_on(view.inst).iter().take(MAX_DEPENDENCES) {
        let writer = view.kernel.located(dependence.on);
        // The user does not see the registers of a hidden listing.
        let what = match view.kernel.source() {
            Some(_) => "the result of".to_owned(),
            None => format!("{} from", register_in_text(view, dependence.register)),
        };
        let miss = view.kernel.latency_of_miss(dependence.on as usize);
        let hit = miss.as_ref().and_then(|_| view.kernel.latency_note(dependence.on as usize));
        let after = match (miss, hit) {
            (Some(miss), Some(hit)) => {
                format!(
                    "{} cycles after its issue with a hit in L1, about {} with a miss",
                    hit.cycles, miss.cycles
                )
            }
            _ => format!("{} cycles after its issue", dependence.cycles),
        };
        let _ = writeln!(text, "- Needs {what} {writer}, {after}");
    }
    let liveness = model.liveness();
    let _ = writeln!(
        text,
        "- Live registers: {} (at most {} general in this kernel)",
        live::in_words(liveness.counts(view.inst)),
        liveness.max().general
    );
}

/// Largest number of dependences in a hover.
const MAX_DEPENDENCES: usize = 6; // limit: keeps a hover under a screen
