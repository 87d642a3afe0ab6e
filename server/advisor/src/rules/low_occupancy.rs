//! Kernels for which an SM can hold only a few warps, independent of the register count that ptxas assigns.

use super::shared_over_budget::declared;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::OccupancyLimiter;
use model::paper::occupancy::{BlockNeeds, occupancy};
use model::ptx::{FunctionKind, literal};

pub(super) const RULE: Rule = Rule {
    code: "low-occupancy",
    rank: 370,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "A kernel whose block size or shared memory limits an SM to less than a quarter of its warps.",
    page: include_str!("low_occupancy.md"),
    checks: &[Check::Ptx(check)],
};

/// Divisor of the maximum resident warps per SM. An occupancy below the quotient is reported.
const REPORTED_BELOW: u32 = 4; // limit: a quarter or more of the warps is not worth a finding

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let item = subject.item;
    let is_entry = item.function().is_some_and(|function| function.kind == FunctionKind::Entry);
    if !is_entry || subject.fast_body().is_none() {
        return;
    }
    let Some((threads, name)) = threads(subject).zip(item.name_token()) else { return };
    let shared = u32::try_from(declared(subject).0).unwrap_or(u32::MAX);
    let arch = &subject.gpu.arch;
    let found = occupancy(&arch.resources, BlockNeeds { threads, registers: 0, shared });
    if found.limiter == OccupancyLimiter::Impossible || found.active_warps * REPORTED_BELOW >= found.max_warps
    {
        return;
    }
    let by = match found.limiter {
        OccupancyLimiter::Shared => format!("{shared} bytes of shared memory per block"),
        OccupancyLimiter::Blocks | OccupancyLimiter::Barriers => format!("{threads} threads per block"),
        _ => "its block size".to_owned(),
    };
    let message = format!(
        "an SM of sm_{} holds at most {} of {} warps when it runs `{}`, limited by {by}. Registers and dynamic \
         shared memory may reduce this further",
        arch.sm,
        found.active_warps,
        found.max_warps,
        item.token_text(name)
    );
    findings.push(Finding::new(RULE.code, name.start..name.end(), message));
}

/// Threads per block, from `.reqntid` or `.maxntid`; `None` if neither is present.
pub(super) fn threads(subject: &Subject<'_>) -> Option<u32> {
    number(subject, ".reqntid").or_else(|| number(subject, ".maxntid"))
}

/// The product of the arguments of a directive between the parameters and the body; `None` if there is no such
/// directive.
pub(super) fn number(subject: &Subject<'_>, word: &str) -> Option<u32> {
    let item = subject.item;
    let directive = item.performance(item.function()?).find(|one| item.token_text(one.word) == word)?;
    directive.arguments().try_fold(1_u32, |product, argument| {
        product.checked_mul(u32::try_from(literal::integer(argument.text())?).ok()?)
    })
}
