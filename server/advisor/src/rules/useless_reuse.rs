//! A reuse flag on a register that is not read again.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::{Flow, RegisterFile, TokenKind};

pub(super) const RULE: Rule = Rule {
    code: "useless-reuse",
    rank: 290,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A reuse flag on a register that is not read again before it is written.",
    page: include_str!("useless_reuse.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for (at, inst) in codes.instructions() {
        let instruction = &codes.chunk.instructions()[at as usize];
        let tokens = codes.chunk.tokens(instruction.tokens);
        let line = codes.chunk.line_text(inst.line as usize);
        for pair in tokens.windows(2) {
            let [register, flag] = pair else { continue };
            let is_flag = flag.kind == TokenKind::Modifier && flag.text(line) == ".reuse";
            if !is_flag || register.kind != TokenKind::Register || !codes.is_final(at) {
                continue;
            }
            let index = register.value.try_into().unwrap_or(u16::MAX);
            if let Some(why) = vain(codes, at, index) {
                let message = format!("the reuse flag of R{index} has no effect: {why}");
                findings.push(Codes::finding(
                    RULE.code,
                    at,
                    flag.start..flag.start + flag.len,
                    message,
                    None,
                ));
            }
        }
    }
}

/// Reason why the cached register is not read again; `None` if it may be read again.
fn vain(codes: &Codes<'_>, at: u32, index: u16) -> Option<&'static str> {
    let program = codes.program;
    let names = |accesses: &[model::Access]| {
        let mut registers = accesses.iter().map(|access| access.register);
        registers.any(|register| register.file == RegisterFile::General && register.index == index)
    };
    if names(program.writes(codes.inst(at))) && codes.inst(at).guard.is_none() {
        return Some("the instruction overwrites it");
    }
    let block = &program.blocks[codes.inst(at).block as usize].instructions;
    for next in at + 1..block.end {
        let inst = codes.inst(next);
        inst.opcode?;
        if names(program.reads(inst)) {
            return None;
        }
        if names(program.writes(inst)) {
            return Some("it is written before it is read again");
        }
        if matches!(inst.flow, Flow::Exit) && inst.guard.is_none() {
            return Some("it is not read again");
        }
    }
    None
}
