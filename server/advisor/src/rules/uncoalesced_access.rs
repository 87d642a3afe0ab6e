//! Lanes of a warp whose bytes lie in more sectors of global memory than they would fill.

use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::memory::{
    Launched, Memory, Pattern, TURNS, at_launches, coalesced, counted, in_all, of_global, quantity,
    shares_word,
};
use crate::rule::{Check, Group, Rule};
use model::MemorySpace;
use model::cuda::AccessKind;
use model::execution::MemoryUse;

pub(super) const RULE: Rule = Rule {
    code: "uncoalesced-access",
    group: Group::Memory,
    severity: Severity::Warning,
    summary: "Lanes of a warp touch more sectors of global memory than their bytes would fill.",
    page: include_str!("uncoalesced_access.md"),
    checks: &[Check::Run(check), Check::Cuda(check_cuda)],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    for inst in memory.used() {
        let found: Vec<usize> = (0..memory.launches.len()).filter(|&at| is_found(memory, inst, at)).collect();
        let lost = |at: &usize| memory.launches[*at].sectors(inst).lost();
        let Some(&worst) = found.iter().max_by(|a, b| lost(a).total_cmp(&lost(b))) else { continue };
        findings.extend(finding(memory, inst, worst, &found));
    }
}

fn is_found(memory: &Memory<'_>, inst: u32, at: usize) -> bool {
    let limit = memory.limits.sectors;
    let launched = &memory.launches[at];
    launched.holds(inst, |asked| {
        let hangs = |asked: &MemoryUse| {
            asked.worst.as_ref().is_none_or(|worst| {
                launched.hangs_on_alignment(&memory.program.arch, asked.bytes_per_lane, &worst.request, limit)
            })
        };
        asked.known
            && asked.sectors_ideal > 0.0
            && asked.sectors >= limit * asked.sectors_ideal
            && !hangs(asked)
    }) && launched.matters(inst, Launched::sectors)
}

fn finding(memory: &Memory<'_>, inst: u32, at: usize, found: &[usize]) -> Option<Finding> {
    let launched = &memory.launches[at];
    let asked = launched.asked(inst)?;
    let request = &asked.worst.as_ref()?.request;
    let taken = launched.sectors(inst);
    let formula = memory.formula_sentence(inst, false, &launched.launch);
    let message = format!(
        "{} a request where {} would do{}{}: {}.{formula} {}",
        quantity(taken.taken, "sector"),
        counted(taken.ideal),
        in_all(launched.counts(), taken),
        at_launches(memory, found),
        Pattern::classify(request),
        of_global(memory, inst, asked.bytes_per_lane, request, memory.limits.sectors),
    );
    Some(memory.finding(RULE.code, inst, false, message))
}

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let limit = subject.limits.sectors;
    for lossy in subject.lossy(MemorySpace::Global, |used| used.taken >= limit * used.ideal) {
        let used = lossy.used;
        let Some(request) = &used.worst else { continue };
        let advice = if lossy.site.kind == AccessKind::Atomic && shares_word(request, request.active) {
            TURNS.to_owned()
        } else {
            coalesced(subject.arch(), used.bytes, request, limit, || None)
        };
        let message = format!(
            "{} a request where {} would do{}: {}. {advice}",
            quantity(used.taken / used.requests, "sector"),
            counted(used.ideal / used.requests),
            subject.in_launches(&lossy),
            Pattern::classify(request),
        );
        findings.push(cuda::Finding::new(RULE.code, lossy.site.into(), message));
    }
}
