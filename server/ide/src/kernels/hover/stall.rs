//! Issue cycle of an instruction by the `pipeline` model, and its stall reason with a link to the
//! cause.

use super::view::View;
use crate::engine::issue_simulation::{Issues, meaning};
use crate::engine::target::model_on;
use crate::words::cycle_words::{estimated, in_cycles};
use model::ModelName;
use model::pipeline::Reason;
use std::fmt::Write;

pub(super) fn write(view: &View<'_>, issues: &Issues, text: &mut String, links: &mut Vec<usize>) {
    let issue = issues.issue(view.inst);
    let _ = writeln!(
        text,
        "- Issue cycle {} of its block ({}), for a single warp with warm caches; model: {}",
        issue.cycle,
        view.kernel.region(view.inst),
        model_on(ModelName::Pipeline, &view.kernel.target)
    );
    let stall = issue.stall;
    if stall.cycles == 0 {
        let _ = writeln!(text, "- {}", without_stall(view));
    } else {
        let _ =
            write!(text, "- One warp alone stalls {}, `{}`: ", in_cycles(stall.cycles), stall.reason.name());
        match (stall.reason, stall.on) {
            (Reason::Wait, Some(on)) => {
                text.push_str("the stall count of ");
                link(view, on, text, links);
                text.push_str(" has to elapse");
            }
            (reason, Some(on)) => {
                let how = match reason {
                    Reason::LongScoreboard | Reason::ShortScoreboard => "waiting for",
                    Reason::BranchResolving | Reason::Barrier => "caused by",
                    // The instruction that causes the stall may have issued much earlier.
                    _ => "due to",
                };
                let _ = write!(text, "{}; {how} ", meaning(reason));
                link(view, on, text, links);
            }
            (reason, None) => text.push_str(meaning(reason)),
        }
        text.push('\n');
    }
    if let Some(doubt) = issues.doubt(view.kernel.program(), view.inst) {
        let name = |inst| {
            if inst as usize == view.inst { "this instruction".to_owned() } else { view.kernel.located(inst) }
        };
        let _ = writeln!(text, "- {}", estimated(doubt, name));
    }
}

fn without_stall(view: &View<'_>) -> &'static str {
    let program = view.kernel.program();
    let block = program.instructions[view.inst].block;
    let starts_block = program.blocks[block as usize].instructions.start as usize == view.inst;
    if starts_block && program.flow.predecessors(block).is_empty() {
        "One warp alone does not stall: nothing runs before it in this text"
    } else {
        "One warp alone does not stall: it issues one cycle after the previous instruction"
    }
}

/// Writes an instruction's name and address as a link to its line. Appends the offset of the link to
/// `links`.
fn link(view: &View<'_>, inst: u32, text: &mut String, links: &mut Vec<usize>) {
    let line = view.kernel.line_of(inst);
    let _ = write!(text, "[{}](", view.kernel.located(inst));
    links.push(text.len());
    let _ = write!(text, "#L{line})");
}
