//! Constants of double precision in arithmetic of single precision.

use crate::cuda::{Finding, Spot, Subject};
use crate::finding::{Edit, Fix, Severity};
use crate::rule::{Check, Group, Rule};
use machine::FunctionUnit;

pub(super) const RULE: Rule = Rule {
    code: "double-constant",
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A constant of double precision makes an operation on single precision one of double precision.",
    page: include_str!("double_constant.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let arch = &subject.gpu.arch;
    let lanes = |kind: FunctionUnit| arch.unit(kind).map(|unit| unit.lanes.value);
    let rates = match (lanes(FunctionUnit::Sp), lanes(FunctionUnit::Dp)) {
        (Some(single), Some(double)) => {
            format!(
                "; an SM of sm_{} starts {double} such operations a cycle, and {single} of single precision",
                arch.sm
            )
        }
        _ => String::new(),
    };
    let mut told: Vec<Spot> = Vec::new();
    for (item, range) in subject.launches.iter().flat_map(|launched| &launched.run.double_constants) {
        let place = Spot::new(*item, range);
        if told.contains(&place) {
            continue;
        }
        let message = format!(
            "a constant of double precision beside a number of single precision: both are converted and the operation is one of \
             double precision{rates}. Write it with `f` behind it, unless its digits are needed."
        );
        let behind = Spot { start: place.end, ..place.clone() };
        let edits = vec![Edit { place: behind, text: "f".to_owned() }];
        let mut finding = Finding::new(RULE.code, place.clone(), message);
        finding.fixes = vec![Fix { title: "Make it a constant of single precision".to_owned(), edits }];
        findings.push(finding);
        told.push(place);
    }
}
