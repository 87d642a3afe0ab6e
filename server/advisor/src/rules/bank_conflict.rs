//! Lanes of a warp that access different words in one bank of shared memory.

use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::memory::{
    Loss, Memory, TURNS, at_launches, counted, in_all, kind, lanes_in_words, of_shared, padded, shares_word,
    will_be_joined,
};
use crate::rule::{Check, Group, Rule};
use model::MemorySpace;
use model::cuda::AccessKind;
use model::execution::{CostliestRequest, MemoryUse};
use model::requests::{BankPicture, Request, SharedKind, banks};

pub(super) const RULE: Rule = Rule {
    code: "bank-conflict",
    rank: 200,
    group: Group::Memory,
    severity: Severity::Warning,
    summary: "Lanes of a warp access different words in one bank of shared memory, which serialises them.",
    page: include_str!("bank_conflict.md"),
    checks: &[Check::Run(check), Check::Cuda(check_cuda)],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    for inst in memory.used() {
        let conflicts = |asked: &MemoryUse| conflicts(asked, memory.limits.wavefronts);
        let found: Vec<usize> =
            (0..memory.launches.len()).filter(|&at| memory.launches[at].holds(inst, conflicts)).collect();
        let lost = |at: &usize| memory.launches[*at].wavefronts(inst);
        let Some(&worst) = found.iter().max_by(|a, b| lost(a).cmp_lost(lost(b))) else { continue };
        findings.extend(finding(memory, inst, worst, &found));
    }
}

fn conflicts(asked: &MemoryUse, limit: f64) -> bool {
    asked.known && asked.wavefronts_ideal > 0.0 && asked.wavefronts >= limit * asked.wavefronts_ideal
}

fn finding(memory: &Memory<'_>, inst: u32, at: usize, found: &[usize]) -> Option<Finding> {
    let launched = &memory.launches[at];
    let asked = launched.asked(inst)?;
    let worst = asked.worst.as_ref()?;
    let kind = kind(memory.chunk, memory.program, inst);
    let request = shared_request(asked, worst);
    let picture = banks(&memory.program.arch, kind, asked.bytes_per_lane, request)?;
    if will_be_joined(memory, inst, kind, asked.bytes_per_lane, request) {
        return None;
    }
    let is_copy = kind == SharedKind::Copy;
    let taken = launched.wavefronts(inst);
    let formula = memory.formula_sentence(inst, is_copy, &launched.launch);
    let message = format!(
        "{}: {} wavefronts per request; {} would suffice{}{}.{formula} {}",
        sharers(&picture, request, kind),
        counted(taken.taken),
        counted(taken.ideal),
        in_all(launched.counts(), taken),
        at_launches(memory, found),
        of_shared(memory, inst, kind, asked.bytes_per_lane, request, &picture),
    );
    let (severity, loss) = (launched.severity(), Some(Loss::new(launched.counts(), taken)));
    Some(Finding { severity, loss, ..memory.finding(RULE.code, inst, is_copy, message) })
}

/// The addresses of a request in shared memory. For a copy, the addresses that the copy writes.
fn shared_request<'a>(asked: &MemoryUse, worst: &'a CostliestRequest) -> &'a Request {
    match &worst.destination {
        Some(destination) if asked.space != MemorySpace::Shared => destination,
        _ => &worst.request,
    }
}

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let limit = subject.limits.wavefronts;
    for lossy in subject.lossy(MemorySpace::Shared, |used| used.taken >= limit * used.ideal) {
        let kind = match lossy.site.kind {
            AccessKind::Load => SharedKind::Load,
            AccessKind::Store => SharedKind::Store,
            AccessKind::Atomic => SharedKind::Atomic,
        };
        let (used, arch) = (&lossy.used, subject.arch());
        let Some(request) = &used.worst else { continue };
        let Some(picture) = banks(arch, kind, used.bytes, request) else { continue };
        let advice = if kind.is_atomic() && shares_word(request, picture.lanes) {
            TURNS.to_owned()
        } else {
            // Accesses that the compiler joins must stay aligned.
            let granule = u64::from(used.bytes.max(arch.requests.shared_word.value));
            padded(arch, kind, used.bytes, request, &picture, granule)
        };
        let message = format!(
            "{}: {} wavefronts per request; {} would suffice{}. {advice}",
            sharers(&picture, request, kind),
            counted(used.taken / used.requests),
            counted(used.ideal / used.requests),
            subject.in_launches(&lossy),
        );
        let finding = cuda::Finding::new(RULE.code, lossy.site.place, message);
        findings.push(cuda::Finding { severity: subject.severity(&lossy), ..finding });
    }
}

/// Description of a conflict and its lanes: `8-way bank conflict, lanes 0, 4, 8, ... share bank 0`.
fn sharers(picture: &BankPicture, request: &Request, kind: SharedKind) -> String {
    let lanes = lanes_in_words(picture.lanes);
    let first = request.addresses[picture.lanes.trailing_zeros() as usize % request.addresses.len()];
    let is_one_word = (0..request.addresses.len())
        .filter(|lane| picture.lanes >> lane & 1 == 1)
        .all(|lane| request.addresses[lane] == first);
    if kind.is_atomic() && is_one_word {
        return format!(
            "{}-way conflict, {lanes} update the same word of bank {}",
            picture.words, picture.bank
        );
    }
    format!("{}-way bank conflict, {lanes} share bank {}", picture.words, picture.bank)
}
