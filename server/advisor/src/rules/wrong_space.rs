//! The instruction says one state space, and the variable is declared in another.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::WrongSpace.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A variable of PTX that lies in another state space than the instruction accesses.",
    page: include_str!("wrong_space.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::WrongSpace, findings);
}
