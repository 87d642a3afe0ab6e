//! Calls of functions in the module that were not inlined.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject, folded, reached, so_are_more};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Body, Meaning, UseKind};

pub(super) const RULE: Rule = Rule {
    code: "function-call",
    rank: 520,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A call to a function in this module that was not inlined.",
    page: include_str!("function_call.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body() else { return };
    let found: Vec<u32> = reached(body).filter(|&at| callee(subject, body, at).is_some()).collect();
    let Some(name) = found.first().and_then(|&first| callee(subject, body, first)) else { return };
    let count = so_are_more(&found, " calls");
    let message = format!(
        "`{name}` is called, not inlined: arguments follow the calling convention, and live values must be kept \
         in callee-saved registers or on the stack{count}"
    );
    findings.extend(folded(RULE.code, body, &found, message));
}

/// The called function, if the module defines it. `None` for recursive calls and for external functions such
/// as `vprintf`, which cannot be inlined.
fn callee<'a>(subject: &Subject<'a>, body: &Body<'_>, at: u32) -> Option<&'a str> {
    let used = body.names.uses_of(body.statement(at)).iter().find(|used| used.kind == UseKind::Call)?;
    if used.what != Meaning::Outer {
        return None;
    }
    let name = subject.item.token_text(subject.item.tokens().get(used.token as usize)?);
    let is_defined = |global: &model::ptx::Global| global.is_definition && global.function.is_some();
    (subject.globals.all_of(name).any(is_defined) && subject.item.name() != Some(name)).then_some(name)
}
