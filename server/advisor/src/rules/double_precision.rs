//! Double-precision arithmetic on chips with few double-precision units.

use super::integer_division::costly;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached};
use crate::rule::{Check, Group, Rule};
use machine::FunctionUnit;
use model::ptx::CostKind;

pub(super) const RULE: Rule = Rule {
    code: "double-precision",
    rank: 440,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "Double-precision arithmetic on a GPU whose FP64 rate is a small fraction of its FP32 rate.",
    page: include_str!("double_precision.md"),
    checks: &[Check::Ptx(check)],
};

/// Smallest ratio of FP32 rate to FP64 rate that is reported. On chips for double-precision computing it is 2
/// or 3.
const REPORTED_FROM: u32 = 8; // limit: chips made for double precision stay below

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let arch = &subject.gpu.arch;
    let lanes = |kind: FunctionUnit| arch.unit(kind).map(|unit| &unit.lanes);
    let (Some(single), Some(double)) = (lanes(FunctionUnit::Sp), lanes(FunctionUnit::Dp)) else { return };
    if double.value == 0 || single.value / double.value < REPORTED_FROM {
        return;
    }
    let found: Vec<u32> =
        reached(body).filter(|&at| costly(subject, body, at, CostKind::Double).is_some()).collect();
    let Some(&first) = found.first() else { return };
    let what = match found.len() {
        1 => format!("`{}` is double-precision arithmetic", body.spelled(first)),
        count => {
            format!("{count} double-precision instructions in this function, of which this is the first")
        }
    };
    let message = format!(
        "{what}: an SM of sm_{} starts {} FP64 and {} FP32 operations per cycle ({})",
        arch.sm, double.value, single.value, double.source
    );
    findings.extend(folded(RULE.code, body, &found, message));
}
