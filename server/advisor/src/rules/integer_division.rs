//! Divisions of integers by what is not constant.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Body, CostKind, Costly, OperandKind};

pub(super) const RULE: Rule = Rule {
    code: "integer-division",
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A quotient or a remainder of integers by a value that is not constant: some tens of instructions.",
    page: include_str!("integer_division.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let divides =
        |at: &u32| costly(subject, body, *at, CostKind::Division).is_some() && !is_by_constant(body, *at);
    let found: Vec<u32> = reached(body).filter(divides).collect();
    let Some(&first) = found.first() else { return };
    let Some(cost) = costly(subject, body, first, CostKind::Division) else { return };
    let instructions = cost.instructions.unwrap_or(1);
    let spelled = body.spelled(first);
    let message = match found.len() {
        1 => format!(
            "`{spelled}` by a value that is not constant takes about {instructions} machine instructions ({})",
            cost.source
        ),
        count => format!(
            "{count} divisions by values that are not constant; this `{spelled}` alone takes about {instructions} machine \
             instructions ({})",
            cost.source
        ),
    };
    findings.extend(folded(RULE.code, body, &found, message));
}

/// What makes an instruction costly, if it is of that kind.
pub(super) fn costly<'a>(
    subject: &Subject<'a>,
    body: &Body<'_>,
    at: u32,
    kind: CostKind,
) -> Option<&'a Costly> {
    let statement = body.statement(at);
    let opcode = body.item.opcode(statement)?;
    subject.tables.costly(opcode, &body.item.modifiers(statement)).filter(|costly| costly.kind == kind)
}

/// By a constant ptxas multiplies and shifts.
fn is_by_constant(body: &Body<'_>, at: u32) -> bool {
    let divisor = body.item.operands(body.statement(at)).nth(2);
    divisor.is_none_or(|divisor| divisor.kind() != OperandKind::Name)
}
