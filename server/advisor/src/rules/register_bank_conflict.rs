//! Source operands that conflict in a register bank although a register in another bank is free.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::schedule::{Banks, Renaming, renamings};
use model::{RegisterFile, TokenKind};

pub(super) const RULE: Rule = Rule {
    code: "register-bank-conflict",
    rank: 300,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "Operands of an instruction share a register bank; renaming a register would avoid the conflict.",
    page: include_str!("register_bank_conflict.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if codes.has_unread() || codes.program.instructions.iter().all(|inst| inst.control.is_none()) {
        return;
    }
    for renaming in renamings(codes.program, |_| true) {
        let place = renaming.places.iter().find(|(at, _)| is_slowed(codes, &renaming, *at));
        let Some(&(at, _)) = place else { continue };
        let (from, to) = (codes.register(renaming.from), codes.register(renaming.to));
        let banks = Banks::for_sm(codes.program.arch.sm).count;
        let others: Vec<String> = meeting(codes, at, renaming.from.index % banks, banks)
            .into_iter()
            .map(|index| format!("R{index}"))
            .collect();
        let occurrences = match renaming.places.len() {
            1 => "1 occurrence".to_owned(),
            count => format!("{count} occurrences"),
        };
        let message = format!(
            "{} share one of {banks} register banks, so they are read one after another. Using {to} instead of \
             {from} ({occurrences}) avoids the conflict",
            others.join(", "),
        );
        let range = codes.place(at, renaming.from, false);
        findings.push(Codes::finding(RULE.code, at, range, message, None));
    }
}

/// True if the instruction reads more registers of the bank than the bank delivers at once. Registers that the
/// previous instruction left in the reuse cache do not count.
fn is_slowed(codes: &Codes<'_>, renaming: &Renaming, at: u32) -> bool {
    let Banks { count, at_once } = Banks::for_sm(codes.program.arch.sm);
    let reads = codes.program.reads(codes.inst(at));
    let is_read = reads.iter().any(|access| access.register == renaming.from);
    is_read
        && codes.is_final(at)
        && meeting(codes, at, renaming.from.index % count, count).len() > usize::from(at_once)
}

/// The registers of a bank that the instruction must read from the register file.
fn meeting(codes: &Codes<'_>, at: u32, bank: u16, banks: u16) -> Vec<u16> {
    let kept = at.checked_sub(1).map_or_else(Vec::new, |before| kept(codes, before));
    let mut found = Vec::new();
    for access in codes.program.reads(codes.inst(at)) {
        let index = access.register.index;
        let is_there = access.register.file == RegisterFile::General && index % banks == bank;
        if is_there && !kept.contains(&index) && !found.contains(&index) {
            found.push(index);
        }
    }
    found
}

/// Indices of the instruction's registers that have a reuse flag.
fn kept(codes: &Codes<'_>, at: u32) -> Vec<u16> {
    let line = codes.chunk.line_text(codes.inst(at).line as usize);
    let tokens = codes.chunk.tokens(codes.chunk.instructions()[at as usize].tokens);
    let flagged = tokens.windows(2).filter(|pair| {
        pair[0].kind == TokenKind::Register
            && pair[1].kind == TokenKind::Modifier
            && pair[1].text(line) == ".reuse"
    });
    flagged.filter_map(|pair| u16::try_from(pair[0].value).ok()).collect()
}
