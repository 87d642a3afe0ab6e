//! Kernels that do not declare their block size.

use crate::finding::Severity;
use crate::ptx::{Edit, Finding, Fix, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::FunctionKind;

pub(super) const RULE: Rule = Rule {
    code: "no-launch-bounds",
    rank: 430,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "A kernel without a declared block size, so that ptxas cannot fit its registers to it.",
    page: include_str!("no_launch_bounds.md"),
    checks: &[Check::Ptx(check)],
};

/// Directives that determine or limit the number of registers per thread.
const BOUNDS: [&str; 3] = [".maxntid", ".reqntid", ".maxnreg"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let item = subject.item;
    let Some(function) = item.function().filter(|function| function.kind == FunctionKind::Entry) else {
        return;
    };
    if subject.fast_body().is_none() {
        return;
    }
    let mut directives = item.performance(function).map(|directive| item.token_text(directive.word));
    if directives.any(|word| BOUNDS.contains(&word)) {
        return;
    }
    let Some(name) = item.name_token() else { return };
    let message = format!(
        "`{}` has no `.maxntid` or `.reqntid`: ptxas may use up to {} registers per thread, with which large \
         blocks cannot launch",
        item.token_text(name),
        subject.gpu.arch.resources.max_registers_per_thread.value
    );
    let mut finding = Finding::new(RULE.code, name.start..name.end(), message);
    let body = function.body.and_then(|body| item.statements().get(body as usize));
    if let Some(open) = body.map(|body| item.range(body).start) {
        let title = "Add `.maxntid 256, 1, 1` (replace with your block size)".to_owned();
        let edit = Edit { place: open..open, text: ".maxntid 256, 1, 1\n".to_owned() };
        finding.fixes.push(Fix { title, edits: vec![edit] });
    }
    findings.push(finding);
}
