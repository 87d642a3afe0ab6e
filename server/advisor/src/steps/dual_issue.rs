//! DUAL: instructions that issue in pairs, on GPUs whose schedulers dispatch two instructions per cycle.
//!
//! Paired compute instructions use lanes that single instructions leave idle, as in the pattern 1-2-2-1 on
//! Kepler. A load paired with a compute instruction takes no extra cycle (section 4.1.2).

use super::{Bottleneck, Change, Step, StepContext, StepName};
use machine::Hardware;

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    let subject = scene.subject;
    let resources = &subject.gpu.arch.resources;
    let has_pairs = resources.dispatch_units.value > resources.schedulers.value
        && Hardware::builtin().issues_pairs(subject.gpu.arch.sm);
    let wanted = [Bottleneck::Comp, Bottleneck::Ilp];
    if !has_pairs || !wanted.iter().any(|&one| scene.is_significant(one)) {
        return None;
    }
    let plan = subject.plan(false)?;
    let paired = subject.program.arranged(&plan.order, &plan.controls);
    let after = subject.run(&paired, subject.launch).bottlenecks;
    let lowers = scene.lowered(&wanted, &after);
    let both = paired.instructions.iter().zip(&subject.program.instructions).zip(0_u32..);
    let firsts = both.filter(|((new, old), _)| new.dual && !old.dual).map(|(_, inst)| inst);
    let instructions: Vec<u32> = firsts.collect();
    if lowers.is_empty() || instructions.is_empty() || !plan.notes.is_empty() {
        return None;
    }
    let more = match instructions.len() {
        1 => "one more instruction could dual-issue with the next one".to_owned(),
        n => format!("{n} more instructions could dual-issue with the next ones"),
    };
    Some(Step {
        name: StepName::DualIssue,
        lowers,
        instructions,
        message: more,
        after: Some(after),
        change: Change::Codes,
    })
}
