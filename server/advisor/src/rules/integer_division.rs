//! Integer divisions by a divisor that is not constant.

use crate::cuda;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Body, CostKind, CostlyInstruction, OperandKind, Ptx};

pub(super) const RULE: Rule = Rule {
    code: "integer-division",
    rank: 500,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "An integer division or remainder by a value that is not constant: tens of instructions.",
    page: include_str!("integer_division.md"),
    checks: &[Check::Ptx(check), Check::Cuda(check_cuda)],
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
            "`{spelled}` by a non-constant divisor takes about {instructions} machine instructions ({})",
            cost.source
        ),
        count => format!(
            "{count} divisions by non-constant divisors; this `{spelled}` alone takes about {instructions} \
             machine instructions ({})",
            cost.source
        ),
    };
    findings.extend(folded(RULE.code, body, &found, message));
}

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    let tables = Ptx::builtin();
    for division in subject.launches.iter().flat_map(|launched| &launched.run.divisions) {
        let place = division.place;
        let is_known = |known: &cuda::Finding| known.code == RULE.code && known.place == place;
        if findings.iter().any(is_known) {
            continue;
        }
        let opcode = if division.is_remainder { "rem" } else { "div" };
        let sign = if division.is_signed { 's' } else { 'u' };
        let of = format!("{sign}{}", 8 * u32::from(division.bytes));
        let cost = tables.costly(opcode, &std::iter::once(of.as_str()));
        let cost = match cost.and_then(|cost| Some((cost.instructions?, &cost.source))) {
            Some((instructions, source)) => {
                format!("about {instructions} machine instructions each ({source})")
            }
            None => "tens of machine instructions each".to_owned(),
        };
        let what = if division.is_remainder { "remainder" } else { "division" };
        let message = format!(
            "{}-bit integer {what} in a loop by a divisor known only at run time: {cost}. Make the divisor a \
             constant, or update quotient and remainder incrementally.",
            8 * u32::from(division.bytes)
        );
        findings.push(cuda::Finding::new(RULE.code, place, message));
    }
}

/// The cost entry of an instruction; `None` if the instruction has no entry of this kind.
pub(super) fn costly<'a>(
    subject: &Subject<'a>,
    body: &Body<'_>,
    at: u32,
    kind: CostKind,
) -> Option<&'a CostlyInstruction> {
    let statement = body.statement(at);
    let opcode = body.item.opcode(statement)?;
    subject.tables.costly(opcode, &body.item.modifiers(statement)).filter(|costly| costly.kind == kind)
}

/// True if the divisor is a constant. ptxas then multiplies and shifts instead of dividing.
fn is_by_constant(body: &Body<'_>, at: u32) -> bool {
    let divisor = body.item.operands(body.statement(at)).nth(2);
    divisor.is_none_or(|divisor| divisor.kind() != OperandKind::Name)
}
