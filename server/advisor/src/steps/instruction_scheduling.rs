//! IS, instruction scheduling: reorders instructions so that more cycles separate a result from its first
//! use.
//!
//! The paper reorders to shorten the critical path, which lowers B_pipe (Equation 21). `model::schedule`
//! determines the order and compares it with the original order in the issue simulation. A load that misses
//! all caches stays on the critical path in any order, so a gain may appear only in the simulated cycles.

use super::{Bottleneck, Change, Step, StepContext, StepName};
use model::schedule::Gain;

/// A step that lowers no bottleneck must save at least 1 / `MIN_GAIN` of the cycles.
const MIN_GAIN: u64 = 50; // limit: the simulation's error

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    if !scene.is_significant(Bottleneck::Pipe) {
        return None;
    }
    let subject = scene.subject;
    let plan = subject.plan(true)?;
    let moved = plan.order.iter().zip(0_u32..).filter(|(old, place)| *old != place);
    let mut instructions: Vec<u32> = moved.map(|(&old, _)| old).collect();
    instructions.sort_unstable();
    if instructions.is_empty() || !plan.notes.is_empty() {
        return None;
    }
    let after =
        subject.run(&subject.program.arranged(&plan.order, &plan.controls), subject.launch).bottlenecks;
    let lowers = scene.lowered(&[Bottleneck::Pipe], &after);
    let sum = |of: fn(&Gain) -> u32| plan.gains.iter().map(|gain| u64::from(of(gain))).sum::<u64>();
    let (cycles, new_cycles) = (sum(|gain| gain.before), sum(|gain| gain.after));
    let is_worse = after.pipe > scene.before.pipe;
    if lowers.is_empty() && (is_worse || (cycles - new_cycles.min(cycles)) * MIN_GAIN < cycles || cycles == 0)
    {
        return None;
    }
    let of_blocks = match plan.gains.len() {
        1 => "one basic block".to_owned(),
        blocks => format!("{blocks} basic blocks"),
    };
    Some(Step {
        name: StepName::InstructionScheduling,
        lowers,
        message: format!(
            "reordering {} instructions of {of_blocks} would shorten the waits ({cycles} -> {new_cycles} cycles \
             for one pass of one warp)",
            instructions.len()
        ),
        instructions,
        after: Some(after),
        change: Change::Order,
    })
}
