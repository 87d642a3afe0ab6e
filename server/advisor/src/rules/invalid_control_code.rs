//! A control code with a value that its field cannot hold.

use crate::codes::Codes;
use crate::finding::{Finding, Severity, Site};
use crate::rule::{Check, Group, Rule};
use machine::units::MAX_STALL;
use model::{Dialect, TokenKind};

pub(super) const RULE: Rule = Rule {
    code: "invalid-control-code",
    rank: 120,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A control code with a value that its field cannot hold, or a write scoreboard on a store.",
    page: include_str!("invalid_control_code.md"),
    checks: &[Check::Codes(check), Check::Codes(check_stores)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let dialect = codes.chunk.dialect();
    for (at, inst) in codes.instructions() {
        let line = codes.chunk.line_text(inst.line as usize);
        let tokens = codes.chunk.line_tokens(inst.line as usize);
        let Some(code) = tokens.iter().find(|token| token.kind == TokenKind::Control) else { continue };
        let text = code.text(line);
        if let Some((from, len, message)) = wrong(text, dialect) {
            let start = code.start + from as u16;
            findings.push(Finding::new(RULE.code, Site::new(at, start..start + len as u16), message));
        }
    }
}

/// Reports write scoreboards on stores, which write no register. maxas rejects such a scoreboard, and other
/// assemblers accept it.
fn check_stores(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let is_refused = codes.chunk.dialect() == Some(Dialect::Maxas);
    for (at, inst) in codes.instructions() {
        let Some(scoreboard) = inst.control.and_then(|control| control.write_barrier) else { continue };
        let is_store = inst.memory.is_some_and(|memory| memory.stores && !memory.loads);
        if !is_store || !codes.program.writes(inst).is_empty() {
            continue;
        }
        let name = codes.mnemonic(at);
        let message = format!(
            "`{name}` writes no register, so the write scoreboard {} protects nothing; a read scoreboard protects its \
             sources",
            codes.scoreboards(1 << scoreboard, "and")
        );
        let finding = Codes::finding(RULE.code, at, codes.at_code(at), message, None);
        let severity = (!is_refused).then_some(Severity::Warning);
        findings.push(Finding { severity, ..finding });
    }
}

/// Offset and length of the first invalid field in the control code, with an error message; `None` if all
/// fields are valid.
fn wrong(code: &str, dialect: Option<Dialect>) -> Option<(usize, usize, String)> {
    if code.starts_with('[') {
        let at = code.rfind(":S")? + 2;
        return stall(code, at);
    }
    if code.as_bytes().get(1) == Some(&b':') {
        return stall(code, code.rfind(':')? + 1);
    }
    let fields: Vec<&str> = code.split(':').collect();
    let &[wait, read, write, ..] = &*fields else { return None };
    let is_turing = dialect == Some(Dialect::TuringAs);
    let mask = if is_turing { wait.parse().ok() } else { u32::from_str_radix(wait, 16).ok() };
    if let Some(mask) = mask.filter(|mask| *mask > MAX_WAITS) {
        let most = if is_turing { MAX_WAITS.to_string() } else { format!("{MAX_WAITS:x}") };
        return Some((
            0,
            wait.len(),
            format!("wait mask {mask} is too large: there are six scoreboards, so the maximum is {most}"),
        ));
    }
    let (first, last) = if is_turing { (0, 5) } else { (1, 6) };
    let mut at = wait.len() + 1;
    for field in [read, write] {
        if field.parse().is_ok_and(|barrier: u32| !(first..=last).contains(&barrier)) {
            let name = dialect.map_or("this notation", Dialect::name);
            return Some((
                at,
                field.len(),
                format!("there is no scoreboard {field}: {name} numbers them {first} to {last}"),
            ));
        }
        at += field.len() + 1;
    }
    None
}

/// Largest wait mask: all six scoreboards.
const MAX_WAITS: u32 = 0x3f; // Source: the six bits of a wait mask

fn stall(code: &str, at: usize) -> Option<(usize, usize, String)> {
    let digits = code[at..].trim_end_matches(']');
    let count: u32 = digits.parse().ok()?;
    (count > MAX_STALL).then(|| {
        (at, digits.len(), format!("stall count {count} does not fit in 4 bits: the maximum is {MAX_STALL}"))
    })
}
