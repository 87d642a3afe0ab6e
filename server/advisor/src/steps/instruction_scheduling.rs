//! IS, instruction scheduling: an order in which results are wanted later.
//!
//! The paper reorders for a shorter critical path, which lowers B_pipe (Equation 21). The order is the one of
//! `model::schedule`, which holds it against the issue simulation; a load that misses all caches stays on the critical path
//! in any order, so a gain may show in the simulated cycles alone.

use super::{Bottleneck, Change, Scene, Step, StepName};
use model::Bottlenecks;

pub(super) fn step(scene: &Scene<'_>) -> Option<Step> {
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
    let blocks = plan.gains.len();
    if lowers.is_empty() && (blocks == 0 || is_worse(scene, &after)) {
        return None;
    }
    let of_blocks = if blocks == 1 { "one block".to_owned() } else { format!("{blocks} blocks") };
    let (before, now) = plan.gains.iter().fold((0_u64, 0_u64), |(before, after), gain| {
        (before + u64::from(gain.before), after + u64::from(gain.after))
    });
    Some(Step {
        name: StepName::InstructionScheduling,
        lowers,
        message: format!(
            "{} instructions of {of_blocks} could stand in an order with shorter waits ({before} -> {now} cycles of one warp \
             once through)",
            instructions.len()
        ),
        instructions,
        after: Some(after),
        change: Change::Order,
    })
}

/// Whether the new order raises B_pipe.
fn is_worse(scene: &Scene<'_>, after: &Bottlenecks) -> bool {
    after.pipe > scene.before.pipe
}
