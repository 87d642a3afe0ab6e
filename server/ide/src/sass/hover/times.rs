//! Times: latency, issue cycle, what is waited for, and on which GPU.

use super::operands::register_in_text;
use super::stall;
use super::view::View;
use crate::words::cycle_words::{in_cycles, latency_in_words};
use crate::words::live;
use std::fmt::Write;

/// Lines on latency and issue, with the sources of their numbers.
///
/// `links` takes the places of links, as [`crate::Hover::links`] has them.
pub(super) fn write(view: &View<'_>, text: &mut String, links: &mut Vec<usize>) {
    let model = &view.kernel.model;
    let times = &model.times.instructions[view.inst];
    let inst = &model.program.instructions[view.inst];
    text.push('\n');
    if let Some(class) = inst.class {
        let arch = &model.program.arch;
        let (pipe, class) = (arch.pipe_of(class), arch.class(class));
        let _ = writeln!(
            text,
            "- Pipe {}: one warp instruction keeps it busy {} ({})",
            pipe.name,
            in_cycles(class.issue_cycles.value.into()),
            class.issue_cycles.source
        );
    }
    if let Some(note) = model.latency_note(view.inst) {
        let _ = writeln!(text, "- Latency: {}. Source: {}", latency_in_words(&note), note.source);
    }
    if let Some(issues) = view.issues {
        stall::write(view, issues, text, links);
    } else if view.has_cycles {
        let _ = writeln!(
            text,
            "- Predicted to issue at cycle {} of its block ({}), one warp alone; estimated by the `paper` model (ICS'17)",
            times.issue_cycle,
            view.kernel.region(view.inst)
        );
    }
    for dependence in model.times.depends_on(view.inst).iter().take(MAX_DEPENDENCES) {
        let writer = view.kernel.located(dependence.on);
        // Nobody has seen the registers of a hidden listing.
        let what = match view.kernel.source() {
            Some(_) => "the result of".to_owned(),
            None => format!("{} from", register_in_text(view, dependence.register)),
        };
        let _ = writeln!(text, "- Needs {what} {writer}: {} cycles after that issues", dependence.cycles);
    }
    let liveness = model.liveness();
    let _ = writeln!(
        text,
        "- In use here: {} (general registers in this kernel: at most {})",
        live::in_words(liveness.counts(view.inst)),
        liveness.max().general
    );
    let _ = writeln!(text, "- GPU: {}", view.kernel.target.describe());
}

/// The most dependences that leave the hover under a screen.
const MAX_DEPENDENCES: usize = 6;
