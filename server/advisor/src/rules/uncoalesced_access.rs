//! Lanes of a warp that access more global-memory sectors than their bytes require.

use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::memory::{
    Loss, Memory, Pattern, SimulatedLaunch, TURNS, at_launches, coalesced, counted, in_all, of_global,
    quantity, shares_word,
};
use crate::rule::{Check, Group, Rule};
use model::MemorySpace;
use model::cuda::{AccessKind, SiteUse, StridedRequest};
use model::execution::MemoryUse;
use model::requests::Request;

pub(super) const RULE: Rule = Rule {
    code: "uncoalesced-access",
    rank: 210,
    group: Group::Memory,
    severity: Severity::Warning,
    summary: "Lanes of a warp access more sectors of global memory than their bytes would fill.",
    page: include_str!("uncoalesced_access.md"),
    checks: &[Check::Run(check), Check::Cuda(check_cuda)],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    for inst in memory.used() {
        let found: Vec<usize> = (0..memory.launches.len()).filter(|&at| is_found(memory, inst, at)).collect();
        let lost = |at: &usize| memory.launches[*at].sectors(inst);
        let Some(&worst) = found.iter().max_by(|a, b| lost(a).cmp_lost(lost(b))) else { continue };
        findings.extend(finding(memory, inst, worst, &found));
    }
}

fn is_found(memory: &Memory<'_>, inst: u32, at: usize) -> bool {
    let limit = memory.limits.sectors;
    let launched = &memory.launches[at];
    launched.holds(inst, |asked| {
        let hangs = |asked: &MemoryUse| {
            asked.worst.as_ref().is_none_or(|worst| {
                launched.depends_on_alignment(
                    &memory.program.arch,
                    asked.bytes_per_lane,
                    &worst.request,
                    limit,
                )
            })
        };
        asked.known
            && asked.sectors_ideal > 0.0
            && asked.sectors >= limit * asked.sectors_ideal
            && !hangs(asked)
    }) && launched.matters(inst, SimulatedLaunch::sectors)
}

fn finding(memory: &Memory<'_>, inst: u32, at: usize, found: &[usize]) -> Option<Finding> {
    let launched = &memory.launches[at];
    let asked = launched.asked(inst)?;
    let request = &asked.worst.as_ref()?.request;
    let taken = launched.sectors(inst);
    let formula = memory.formula_sentence(inst, false, &launched.launch);
    let message = format!(
        "{} per request; {} would suffice{}{}: {}.{formula} {}",
        quantity(taken.taken, "sector"),
        counted(taken.ideal),
        in_all(launched.counts(), taken),
        at_launches(memory, found),
        Pattern::classify(request),
        of_global(memory, inst, asked.bytes_per_lane, request, memory.limits.sectors),
    );
    let (severity, loss) = (launched.severity(), Some(Loss::new(launched.counts(), taken)));
    Some(Finding { severity, loss, ..memory.finding(RULE.code, inst, false, message) })
}

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let limit = subject.limits.sectors;
    // The requests of a fragment use different bytes of the same sectors.
    let is_lossy = |used: &SiteUse| !used.is_fragment && used.taken >= limit * used.ideal;
    for lossy in subject.lossy(MemorySpace::Global, is_lossy) {
        let used = &lossy.used;
        let Some(request) = &used.worst else { continue };
        let advice = if lossy.site.kind == AccessKind::Atomic && shares_word(request, request.active) {
            TURNS.to_owned()
        } else {
            coalesced(subject.arch(), (used.bytes, used.within), request, limit, || None)
        };
        let message = format!(
            "{} per request; {} would suffice{}: {}. {advice}",
            quantity(used.taken / used.requests, "sector"),
            counted(used.ideal / used.requests),
            subject.in_launches(&lossy),
            Pattern::classify(request),
        );
        let finding = cuda::Finding::new(RULE.code, lossy.site.place, message);
        findings.push(cuda::Finding { severity: subject.severity(&lossy), ..finding });
    }
    check_strided(subject, findings);
}

/// Advice for lanes that access the elements of a column.
const NEIGHBOURS: &str =
    "Let adjacent threadIdx.x access adjacent addresses, or transpose a tile through shared memory.";

/// Reports accesses whose stride between lanes is proportional to a number that no launch specifies.
fn check_strided(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let limit = subject.limits.sectors;
    for (lossy, request, least) in subject.strided(limit) {
        let place = lossy.site.place;
        if findings.iter().any(|known| known.code == RULE.code && known.place == place) {
            continue;
        }
        let most = request.sectors.iter().max_by_key(|(_, taken, _)| *taken);
        let Some((_, taken, ideal)) = most else { continue };
        let number = &request.number;
        let from = if least > 1 { format!(" of {least} or more") } else { String::new() };
        let message = format!(
            "up to {} per request for any `{number}`{from}; {ideal} would suffice{}: {}. {}",
            quantity(f64::from(*taken), "sector"),
            subject.in_launches(&lossy),
            apart(request),
            NEIGHBOURS,
        );
        let finding = cuda::Finding::new(RULE.code, place, message);
        findings.push(cuda::Finding { severity: Some(Severity::Info), ..finding });
    }
}

/// Description of the stride between the lanes of a request.
fn apart(request: &StridedRequest) -> String {
    let times = Request { active: request.large.active, addresses: request.times.map(|times| times as u64) };
    let number = &request.number;
    let bytes = |step: i64| match step.unsigned_abs() {
        1 => format!("`{number}` bytes"),
        step => format!("{step} * `{number}` bytes"),
    };
    match (Pattern::classify(&times), Pattern::classify(&request.large)) {
        (Pattern::Even(step), Pattern::Even(_)) => format!("lanes are {} apart", bytes(step)),
        (Pattern::Rows { step: 0, row, lanes }, _) => {
            format!("rows of {lanes} lanes are {} apart", bytes(row))
        }
        _ => format!("the distance between lanes grows with `{number}`"),
    }
}
