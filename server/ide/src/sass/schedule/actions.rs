//! Scheduling actions at an instruction: new control codes for the instruction, its basic block or its
//! kernel, and a faster order of its basic block.

use super::prediction::predicted;
use super::renaming::rename;
use super::{PredictedCycles, UnscheduledKernel};
use crate::NotScheduled;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::words::numbers::counted;
use crate::{ScheduleAction, ScheduleScope, TextEdit};
use model::schedule::Request;

/// Maximum number of instructions in a kernel that is reordered on every cursor movement. Larger kernels are reordered
/// on request only.
const MAX_UNASKED: usize = 10_000; // limit: a menu must not wait

/// Returns the actions for the instruction at `offset`. Empty if the line has no instruction or no control code.
/// `asked` is true if the user requested the actions explicitly. Only then is renaming tried, and reordering in a
/// kernel of more than [`MAX_UNASKED`] instructions. Reordering is listed if it is predicted to save cycles. Renaming is
/// listed if it resolves bank conflicts and is predicted to save cycles, or if its cycles are unknown.
pub(crate) fn actions(sass: &SassView, offset: usize, asked: bool) -> Cancellable<Vec<ScheduleAction>> {
    let Some((index, inst)) = sass.instruction_at(offset) else { return Ok(Vec::new()) };
    let chunk = &sass.listing().chunks()[index];
    if chunk.instructions()[inst].control.is_none() {
        return Ok(Vec::new());
    }
    let action = |title: &str, scope| ScheduleAction { title: title.to_owned(), scope };
    let mut actions = vec![
        action("Compute control code of this instruction", ScheduleScope::Instruction),
        action("Compute control codes of this block", ScheduleScope::Block),
        action("Compute control codes of this kernel", ScheduleScope::Kernel),
    ];
    if (asked || chunk.instructions().len() <= MAX_UNASKED)
        && let Some(title) = reordering(sass, index, inst)?
    {
        actions.push(ScheduleAction { title, scope: ScheduleScope::BlockReordered });
    }
    if asked && let Some(title) = renaming(sass, index)? {
        actions.push(ScheduleAction { title, scope: ScheduleScope::KernelRenamed });
    }
    Ok(actions)
}

/// Returns the edits of an action for the instruction at `offset`. The inner `Err` is the reason why no
/// edits exist. `None` if the line has no instruction.
pub(crate) fn edits(
    sass: &SassView,
    offset: usize,
    scope: ScheduleScope,
) -> Cancellable<Option<Result<Vec<TextEdit>, NotScheduled>>> {
    let Some((index, inst)) = sass.instruction_at(offset) else { return Ok(None) };
    let mut kernel = UnscheduledKernel::new(sass, index);
    if scope == ScheduleScope::KernelRenamed {
        rename(&mut kernel);
    }
    let request = request(&kernel, inst, scope);
    let plan = kernel.plan(&request)?;
    Ok(Some(kernel.write(&plan).map(|(edits, _)| edits)))
}

/// Title of the action that reorders a basic block; `None` if reordering is not predicted to save cycles.
fn reordering(sass: &SassView, index: usize, inst: usize) -> Cancellable<Option<String>> {
    let kernel = UnscheduledKernel::new(sass, index);
    let block = kernel.block(inst);
    let plan = kernel.plan(&request(&kernel, inst, ScheduleScope::BlockReordered))?;
    if plan.order.iter().enumerate().all(|(place, &inst)| place == inst as usize) {
        return Ok(None);
    }
    let Ok((_, after)) = kernel.write(&plan) else { return Ok(None) };
    let simulated = predicted(&kernel, &plan, &after.chunks()[index], &block)?;
    let planned = || {
        let gain = plan.gains.iter().find(|gain| block.contains(&gain.first))?;
        Some((u64::from(gain.before), u64::from(gain.after)))
    };
    let cycles = simulated.map(|cycles| (cycles.before, cycles.after)).or_else(planned);
    Ok(cycles.filter(|(before, after)| after < before).map(|(before, after)| {
        let part = &kernel.target.gpu.part.name;
        format!("Reorder this block for latency (predicted {before} -> {after} cycles on {part})")
    }))
}

/// Title of the action that renames a kernel's registers. `None` if no register is renamed, if the renamed kernel
/// cannot be scheduled, or if the prediction shows no saved cycles.
fn renaming(sass: &SassView, index: usize) -> Cancellable<Option<String>> {
    let mut kernel = UnscheduledKernel::new(sass, index);
    rename(&mut kernel);
    if kernel.renamed == 0 {
        return Ok(None);
    }
    let plan = kernel.plan(&Request::default())?;
    let Ok(scheduled) = kernel.schedule(&plan)? else { return Ok(None) };
    let gain = match scheduled.predicted {
        Some(cycles) if cycles.after >= cycles.before => return Ok(None),
        Some(PredictedCycles { before, after }) => {
            format!(" (predicted {before} -> {after} cycles on {})", kernel.target.gpu.part.name)
        }
        None => String::new(),
    };
    Ok(Some(format!(
        "Move {} out of register bank conflicts and compute control codes of this kernel{gain}",
        counted(kernel.renamed, "value"),
    )))
}

fn request(kernel: &UnscheduledKernel<'_>, inst: usize, scope: ScheduleScope) -> Request {
    let range = match scope {
        ScheduleScope::Instruction => Some(inst as u32..inst as u32 + 1),
        ScheduleScope::Block | ScheduleScope::BlockReordered => Some(kernel.block(inst)),
        ScheduleScope::Kernel | ScheduleScope::KernelRenamed => None,
    };
    Request { range, reorder: scope == ScheduleScope::BlockReordered, ..Request::default() }
}
