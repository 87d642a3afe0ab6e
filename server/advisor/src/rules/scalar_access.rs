//! Adjacent words that are loaded or stored one at a time.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, so_are_more};
use crate::rule::{Check, Group, Rule};
use machine::Hardware;
use model::ptx::{Body, Operand, OperandKind, literal};

pub(super) const RULE: Rule = Rule {
    code: "scalar-access",
    rank: 540,
    group: Group::Memory,
    severity: Severity::Hint,
    summary: "Four adjacent words of global memory that a thread accesses one at a time.",
    page: include_str!("scalar_access.md"),
    checks: &[Check::Ptx(check)],
};

/// Size of the widest access in bytes.
fn widest() -> i64 {
    Hardware::builtin().widest_access_bytes.value.into()
}

/// An access to a single element.
struct Access<'a> {
    at: u32,
    /// The opcode with its modifiers.
    spelled: &'a str,
    base: u32,
    offset: i64,
    bytes: i64,
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let mut rows: Vec<u32> = Vec::new();
    for block in body.flow.blocks().iter().filter(|block| block.is_reached) {
        let mut row: Vec<Access<'_>> = Vec::new();
        for at in block.instructions.clone() {
            if let Some(access) = access(subject, body, at) {
                let continues = row.last().is_some_and(|last| {
                    last.spelled == access.spelled
                        && last.base == access.base
                        && last.offset + last.bytes == access.offset
                });
                if !continues {
                    rows.extend(whole(&row));
                    row.clear();
                }
                row.push(access);
            } else if !row.is_empty() && (!body.only_computes(at) || changes_base(body, at, &row)) {
                rows.extend(whole(&row));
                row.clear();
            }
        }
        rows.extend(whole(&row));
    }
    let Some(&first) = rows.first() else { return };
    let count = so_are_more(&rows, " rows");
    let widest = widest();
    let message = format!(
        "this `{}` and the following accesses move {widest} adjacent bytes one word at a time. If the base is \
         {widest}-byte aligned, one vector access (`.v4` of 32 bits, `.v2` of 64) moves them in one request{count}",
        body.spelled(first)
    );
    findings.extend(folded(RULE.code, body, &rows, message));
}

/// The first access in a sequence that a single vector access of the widest size could replace. Its address
/// is a multiple of that size. `None` if there is no such access.
fn whole(row: &[Access<'_>]) -> Option<u32> {
    let starts = row.iter().enumerate().filter(|(_, access)| access.offset % widest() == 0);
    let fits = |(at, access): &(usize, &Access<'_>)| (row.len() - at) as i64 * access.bytes >= widest();
    starts.into_iter().find(fits).map(|(_, access)| access.at)
}

fn changes_base(body: &Body<'_>, at: u32, row: &[Access<'_>]) -> bool {
    row.last().is_some_and(|last| body.registers.writes(at).any(|touch| touch.register == last.base))
}

/// A global-memory load or store of a single 4-byte or 8-byte element, at a register plus a constant; `None`
/// for other instructions.
fn access<'a>(subject: &Subject<'_>, body: &Body<'a>, at: u32) -> Option<Access<'a>> {
    let item = body.item;
    let statement = body.statement(at);
    let mut modifiers = item.modifiers(statement);
    if !modifiers.clone().any(|word| word == "global") || !body.is_weak_access(at) {
        return None;
    }
    let operands = item.operands(statement);
    let address = operands.clone().find(|one| one.kind() == OperandKind::Address)?;
    let has_one = operands.clone().count() == 2
        && operands.clone().all(|one| matches!(one.kind(), OperandKind::Address | OperandKind::Name));
    let bytes = i64::from(modifiers.find_map(|word| subject.tables.type_of(word))?.bits / 8);
    let (base, offset) = address.elements().next()?.base_and_offset();
    let name = base.name()?;
    let touch = body.registers.reads(at).find(|touch| body.token_range(touch.token).start == name.start)?;
    let offset = offset.map_or(Some(0), |offset| signed(&offset))?;
    let is_reported = has_one && matches!(bytes, 4 | 8) && !body.flow.nodes()[at as usize].is_guarded;
    // A load must not overwrite its base register.
    let keeps_base = !body.registers.writes(at).any(|written| written.register == touch.register);
    (is_reported && keeps_base).then(|| Access {
        at,
        spelled: body.spelled(at),
        base: touch.register,
        offset,
        bytes,
    })
}

fn signed(operand: &Operand<'_>) -> Option<i64> {
    let text = operand.text();
    let digits = text.trim_start_matches(['-', '+']).trim();
    let value = i64::try_from(literal::integer(digits)?).ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}
