//! Correctly rounded quotients and roots that could be replaced by an approximation.

use super::integer_division::costly;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached, so_are_more};
use crate::rule::{Check, Group, Rule};
use model::ptx::CostKind;

pub(super) const RULE: Rule = Rule {
    code: "exact-rounding",
    rank: 510,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A correctly rounded single-precision division or square root, which costs many times as much as the approximate one.",
    page: include_str!("exact_rounding.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let found: Vec<u32> =
        reached(body).filter(|&at| costly(subject, body, at, CostKind::Rounding).is_some()).collect();
    let Some(&first) = found.first() else { return };
    let Some(cost) = costly(subject, body, first, CostKind::Rounding) else { return };
    let instructions = cost.instructions.unwrap_or(1);
    let others = so_are_more(&found, "");
    let message = format!(
        "`{}` with correct rounding takes about {instructions} machine instructions, including its slow path \
         ({}){others}. If an error of 2 ulp is acceptable, `.approx` or `.full` takes fewer than ten",
        body.spelled(first),
        cost.source
    );
    findings.extend(folded(RULE.code, body, &found, message));
}
