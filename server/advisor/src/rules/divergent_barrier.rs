//! Barriers and warp-wide instructions that only some of the required threads reach.

use crate::cuda;
use crate::finding::Severity;
use crate::ptx::{Finding, Related, Subject};
use crate::rule::{Check, Group, Rule};
use model::cuda::SourceSpan;
use model::ptx::{Body, Participants, Spread};

pub(super) const RULE: Rule = Rule {
    code: "divergent-barrier",
    rank: 320,
    group: Group::Hazard,
    severity: Severity::Warning,
    summary: "A barrier or a warp-wide instruction that only some of the threads reach.",
    page: include_str!("divergent_barrier.md"),
    checks: &[Check::Ptx(check), Check::Cuda(check_cuda)],
};

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let mut reported: Vec<SourceSpan> = Vec::new();
    for &place in subject.launches.iter().flat_map(|launched| &launched.run.divergent_barriers) {
        if reported.contains(&place) {
            continue;
        }
        reported.push(place);
        let message = "all threads of the block must reach this barrier, but the enclosing condition differs between lanes of a warp. Move the barrier out of the branch."
            .to_owned();
        findings.push(cuda::Finding::new(RULE.code, place, message));
    }
}

/// Reason why only some threads execute an instruction.
enum Cause {
    /// The guard of the instruction.
    Guard,
    /// The branch at the end of this block.
    Branch(u32),
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body().filter(|body| body.flow.is_whole()) else { return };
    for (node, at) in body.flow.nodes().iter().zip(0..) {
        let Some(together) = node.behaviour.together else { continue };
        if body.flow.blocks()[node.block as usize].is_reached
            && let Some((cause, spread)) = cause(body, at, together)
        {
            findings.push(finding(body, at, together, &cause, spread));
        }
    }
}

/// Reason why some threads do not execute an instruction that all threads must execute; `None` if no reason
/// is known.
fn cause(body: &Body<'_>, instruction: u32, together: Participants) -> Option<(Cause, Spread)> {
    let node = &body.flow.nodes()[instruction as usize];
    let spreads = body.spreads();
    let guard = spreads.guard(instruction);
    // At a barrier that counts each thread separately, the lanes of a warp may arrive at different barriers.
    let of_lanes = together != Participants::Threads;
    if of_lanes && guard == Spread::Lanes {
        return Some((Cause::Guard, guard));
    }
    let control = body.control();
    let decides = |decider: &u32| {
        let spread = spreads.branch(*decider);
        spread == Spread::Lanes && (of_lanes || !meets_another(body, *decider, node.block))
    };
    if let Some(decider) = control.all_deciders(node.block).find(decides) {
        return Some((Cause::Branch(decider), Spread::Lanes));
    }
    if together == Participants::Warp || counts_threads(body, instruction) {
        return None;
    }
    // Warps that branch to the other side may execute another barrier of the block.
    let decides = |decider: &u32| {
        spreads.branch(*decider) == Spread::Warps && !meets_another(body, *decider, node.block)
    };
    control.all_deciders(node.block).find(decides).map(|decider| (Cause::Branch(decider), Spread::Warps))
}

/// True if another block barrier also depends on the branch at the end of block `decider`. Threads that take another
/// side of the branch may then execute that barrier.
fn meets_another(body: &Body<'_>, decider: u32, block: u32) -> bool {
    let control = body.control();
    body.flow.nodes().iter().any(|node| {
        let waits = matches!(node.behaviour.together, Some(Participants::Block | Participants::Threads));
        waits && node.block != block && control.has_part(decider, node.block)
    })
}

/// True if the barrier specifies the number of participating threads.
fn counts_threads(body: &Body<'_>, instruction: u32) -> bool {
    let statement = body.statement(instruction);
    let bound = model::ptx::bind(body.tables(), body.item, statement);
    let Some(Ok(bound)) = bound else { return true };
    let mut roles = bound.arguments.iter().filter_map(|argument| argument.role);
    roles.any(|role| &*role.name == "threads")
}

fn finding(
    body: &Body<'_>,
    instruction: u32,
    together: Participants,
    cause: &Cause,
    spread: Spread,
) -> Finding {
    let spelled = body.spelled(instruction);
    let who = match together {
        Participants::Warp => "all lanes of the warp must execute it together",
        Participants::Block | Participants::Threads => "all threads of the block must reach it",
    };
    let among = if spread == Spread::Lanes { "lanes of a warp" } else { "warps of the block" };
    let (how, related) = match cause {
        Cause::Guard => (format!("its guard differs between {among}"), Vec::new()),
        Cause::Branch(block) => {
            let branch = body.flow.blocks()[*block as usize].instructions.end - 1;
            let message = format!("the {among} diverge here");
            let place = Related { place: body.range(branch), message };
            (format!("the branch that leads to it differs between {among}"), vec![place])
        }
    };
    let message = format!("`{spelled}`: {who}, but {how}");
    Finding { related, ..Finding::new(RULE.code, body.opcode_range(instruction), message) }
}
