//! Code actions for the optimisation steps of the ICS'17 paper (Zhou et al.). A step whose edit is proven correct is
//! offered at the instructions that it changes.

use super::edit::EditedKernel;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::advice::{advise, changes};
use crate::kernels::launch::uncounted;
use crate::{AdviceAction, AdviceEdit, ScheduleScope};
use advisor::steps::{Change, Merge, Step};
use model::Bottlenecks;

/// Maximum number of instructions in a kernel that is analysed on every cursor movement. Larger kernels are analysed on
/// request only.
const MAX_UNASKED: usize = 1_000; // limit: a menu must not wait

/// Returns the steps that change the instruction at `offset`, at the kernel's first launch. `asked` is
/// true if the user requested the steps explicitly.
pub(crate) fn actions(sass: &SassView, offset: usize, asked: bool) -> Cancellable<Vec<AdviceAction>> {
    let Some((index, here)) = sass.instruction_at(offset) else { return Ok(Vec::new()) };
    let chunk = &sass.listing().chunks()[index];
    let is_source = sass.listing().dialect().is_some_and(syntax::sass::Dialect::is_source);
    if !is_source || !(asked || chunk.instructions().len() <= MAX_UNASKED) {
        return Ok(Vec::new());
    }
    let kernel = sass.kernel(index);
    let Some((launch, _)) = uncounted(&kernel).into_iter().next() else { return Ok(Vec::new()) };
    let advice = advise(&kernel, &launch, !asked);
    sass.cancel.check()?;
    let here = here as u32;
    let steps = advice.steps.iter().filter(|step| step.instructions.contains(&here));
    let place = EditedKernel { listing: sass.listing(), index, arch: &kernel.model.isa_arch };
    let title = |step: &Step, what: &str| title(step, what, &advice.before, &kernel.target.gpu.part.name);
    let mut actions = Vec::new();
    for step in steps {
        match &step.change {
            Change::Merges(merges) => {
                let certain: Vec<Merge> =
                    merges.iter().filter(|merge| merge.operands.is_some()).cloned().collect();
                let own = certain.iter().find(|merge| merge.first == here || merge.second == here);
                let one = own.and_then(|merge| place.merge(std::slice::from_ref(merge)));
                if let Some(edits) = one {
                    let what = "merge with the adjacent load into LDS.64".to_owned();
                    let whole = certain.len() == 1 && merges.len() == 1;
                    let title =
                        if whole { title(step, &what) } else { format!("{}: {what}", step.name.short()) };
                    actions.push(AdviceAction::ready(title, edits));
                }
                if own.is_some()
                    && certain.len() > 1
                    && certain.len() == merges.len()
                    && let Some(edits) = place.merge(&certain)
                {
                    let title = title(
                        step,
                        &format!("merge pairs of LDS in this kernel into {} LDS.64", certain.len()),
                    );
                    actions.push(AdviceAction::ready(title, edits));
                }
            }
            Change::Codes => actions.push(AdviceAction::new(
                title(step, "compute this kernel's control codes with dual issue"),
                AdviceEdit::Codes(ScheduleScope::Kernel),
            )),
            // A new order of a block is offered together with its cycles; see `schedule_actions`.
            Change::Order | Change::Reader => {}
        }
    }
    Ok(actions)
}

/// Formats the title of a step: its short name, its edit, and the bottlenecks that it lowers, as in `BW: {what} (mem
/// 0.50 -> 0.00, estimated for Tesla K20m)`.
fn title(step: &Step, what: &str, before: &Bottlenecks, gpu: &str) -> String {
    let gain =
        step.after.as_ref().map(|after| changes(&step.lowers, before, after) + ", ").unwrap_or_default();
    format!("{}: {what} ({gain}estimated for {gpu})", step.name.short())
}
