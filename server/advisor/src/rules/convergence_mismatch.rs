//! A `BSYNC` on a convergence barrier that is not set on any path to the instruction.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::flow::forward;
use crate::rule::{Check, Group, Rule};
use model::{Flow, TokenKind};

pub(super) const RULE: Rule = Rule {
    code: "convergence-mismatch",
    rank: 190,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A `BSYNC` on a convergence barrier that no `BSSY` sets on any path to it.",
    page: include_str!("convergence_mismatch.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if codes.has_unread() || !codes.instructions().any(|(at, _)| codes.mnemonic(at) == "BSYNC") {
        return;
    }
    let program = codes.program;
    let through = |block: u32, entry: u64| {
        program.blocks[block as usize].instructions.clone().fold(entry, |set, at| set | sets(codes, at))
    };
    // A caller may have set convergence barriers of a function.
    let is_function = codes.instructions().any(|(at, _)| codes.mnemonic(at) == "RET");
    let entries = forward(program, if is_function { u64::MAX } else { 0 }, through);
    for (block, entry) in program.blocks.iter().zip(entries) {
        let mut set = entry;
        for at in block.instructions.clone() {
            set |= sets(codes, at);
            let Some(barrier) = barrier(codes, at).filter(|_| codes.mnemonic(at) == "BSYNC") else {
                continue;
            };
            if set >> barrier & 1 == 0 {
                let message = format!("no BSSY sets B{barrier} on any path to this BSYNC");
                findings.push(Codes::finding(RULE.code, at, codes.at_mnemonic(at), message, None));
            }
        }
    }
}

/// Mask of the convergence barriers that the instruction sets. All bits for a call.
fn sets(codes: &Codes<'_>, at: u32) -> u64 {
    if codes.inst(at).flow == Flow::Call {
        return u64::MAX;
    }
    let first_is_barrier = || {
        let instruction = &codes.chunk.instructions()[at as usize];
        let first = codes.chunk.operands(instruction).next().and_then(|operand| operand.first());
        first.is_some_and(|token| token.kind == TokenKind::Barrier)
    };
    match codes.mnemonic(at) {
        "BSSY" => barrier(codes, at).map_or(u64::MAX, |barrier| 1 << barrier),
        "BMOV" if first_is_barrier() => barrier(codes, at).map_or(u64::MAX, |barrier| 1 << barrier),
        _ => 0,
    }
}

fn barrier(codes: &Codes<'_>, at: u32) -> Option<u32> {
    let tokens = codes.chunk.tokens(codes.chunk.instructions()[at as usize].tokens);
    let barrier = tokens.iter().find(|token| token.kind == TokenKind::Barrier)?;
    Some(barrier.value).filter(|value| *value < u64::BITS)
}
