//! Double-precision constants in single-precision arithmetic.

use crate::cuda::{Finding, Subject};
use crate::finding::{Edit, Fix, Severity};
use crate::rule::{Check, Group, Rule};
use machine::FunctionUnit;
use model::cuda::SourceSpan;

pub(super) const RULE: Rule = Rule {
    code: "double-constant",
    rank: 450,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A double-precision constant turns a single-precision operation into double precision.",
    page: include_str!("double_constant.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let arch = &subject.gpu.arch;
    let lanes = |kind: FunctionUnit| arch.unit(kind).map(|unit| unit.lanes.value);
    let rates = match (lanes(FunctionUnit::Sp), lanes(FunctionUnit::Dp)) {
        (Some(single), Some(double)) => {
            format!(". An SM of sm_{} starts {double} FP64 and {single} FP32 operations per cycle", arch.sm)
        }
        _ => String::new(),
    };
    let mut reported: Vec<SourceSpan> = Vec::new();
    for &place in subject.launches.iter().flat_map(|launched| &launched.run.double_constants) {
        if reported.contains(&place) {
            continue;
        }
        let message = format!(
            "this double-precision constant makes the operation double precision: the single-precision operand is \
             converted{rates}. Add the suffix `f` unless the computation needs double precision."
        );
        let following = SourceSpan { start: place.end, ..place };
        let edits = vec![Edit { place: following, text: "f".to_owned() }];
        let mut finding = Finding::new(RULE.code, place, message);
        finding.fixes = vec![Fix { title: "Make the constant single precision".to_owned(), edits }];
        findings.push(finding);
        reported.push(place);
    }
}
