//! Global memory accesses of only one or two bytes per lane.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached, so_are_more};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Body, OperandKind, Spread};

pub(super) const RULE: Rule = Rule {
    code: "narrow-access",
    rank: 530,
    group: Group::Memory,
    severity: Severity::Hint,
    summary: "Global-memory loads and stores that move only 1 or 2 bytes per lane.",
    page: include_str!("narrow_access.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let bytes = |at: u32| bytes(subject, body, at);
    let found: Vec<u32> = reached(body).filter(|&at| bytes(at).is_some() && differs(body, at)).collect();
    let Some(&first) = found.first() else { return };
    let Some(width) = bytes(first) else { return };
    let warp = subject.gpu.arch.resources.warp_size;
    let count = so_are_more(&found, " accesses");
    let plural = if width == 1 { "" } else { "s" };
    let message = format!(
        "{width} byte{plural} per lane: a request moves at most {} bytes; with 16 bytes per lane it would move \
         {}{count}. If lanes access adjacent elements, access several at once (`.v2`, `.v4`, or unpack wider \
         words)",
        u32::from(width) * warp,
        16 * warp
    );
    findings.extend(folded(RULE.code, body, &found, message));
}

/// Bytes per lane of a scalar global-memory load or store; `None` for accesses of more than two bytes.
fn bytes(subject: &Subject<'_>, body: &Body<'_>, at: u32) -> Option<u16> {
    let item = body.item;
    let statement = body.statement(at);
    let mut modifiers = item.modifiers(statement);
    if !modifiers.clone().any(|word| word == "global") || modifiers.clone().any(|word| word.starts_with('v'))
    {
        return None;
    }
    let bits = modifiers.find_map(|word| subject.tables.type_of(word)).map(|ty| ty.bits)?;
    (matches!(bits, 8 | 16) && body.is_weak_access(at)).then_some(bits / 8)
}

/// True if the address differs between the lanes of a warp.
fn differs(body: &Body<'_>, at: u32) -> bool {
    body.item
        .operands(body.statement(at))
        .filter(|operand| operand.kind() == OperandKind::Address)
        .any(|address| body.spread_of(at, &address) == Spread::Lanes)
}
