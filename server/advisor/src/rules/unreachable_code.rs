//! Instructions that are not reachable from the function's entry.

use crate::finding::Severity;
use crate::ptx::{Edit, Finding, Fix, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Body, ControlFlow, StatementKind};

pub(super) const RULE: Rule = Rule {
    code: "unreachable-code",
    rank: 330,
    group: Group::Style,
    severity: Severity::Warning,
    summary: "Instructions that no path from the function's entry reaches.",
    page: include_str!("unreachable_code.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body().filter(|body| body.flow.is_whole()) else { return };
    let blocks = body.flow.blocks();
    let mut at = 0;
    while at < blocks.len() {
        let count = blocks[at..].iter().take_while(|block| !block.is_reached).count();
        if count > 0 {
            let first = blocks[at].instructions.start;
            let end = blocks[at + count - 1].instructions.end;
            findings.extend(finding(body, first, end));
        }
        at += count.max(1);
    }
}

/// Returns a finding for unreachable instructions. `None` if the code only exits or jumps, because compilers
/// emit a `ret` after a call that never returns.
fn finding(body: &Body<'_>, first: u32, end: u32) -> Option<Finding> {
    let does = |at: &u32| body.flow.nodes()[*at as usize].behaviour.flow == ControlFlow::Next;
    let count = (first..end).filter(does).count();
    if count == 0 {
        return None;
    }
    let range = body.range(first).start..body.range(end - 1).end;
    let what = if end - first == 1 {
        "this instruction".to_owned()
    } else {
        format!("these {} instructions", end - first)
    };
    let mut finding = Finding::new(RULE.code, range.clone(), format!("{what} cannot be reached"));
    if is_plain(body, first, end) {
        let title = "Remove the unreachable code".to_owned();
        finding.fixes.push(Fix { title, edits: vec![Edit { place: range, text: String::new() }] });
    }
    Some(finding)
}

/// True if the range contains only instructions. Removing the range then removes no other statement.
fn is_plain(body: &Body<'_>, first: u32, end: u32) -> bool {
    let statement = |at: u32| body.flow.nodes()[at as usize].statement as usize;
    let statements = &body.item.statements()[statement(first)..=statement(end - 1)];
    statements.iter().all(|statement| matches!(statement.kind, StatementKind::Instruction { .. }))
}
