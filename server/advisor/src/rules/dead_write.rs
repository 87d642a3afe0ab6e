//! Values that are computed and never read.

use crate::finding::Severity;
use crate::ptx::{Finding, Related, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Body;

pub(super) const RULE: Rule = Rule {
    code: "dead-write",
    rank: 340,
    group: Group::Style,
    severity: Severity::Hint,
    summary: "An instruction whose only effect is a value that is never read.",
    page: include_str!("dead_write.md"),
    checks: &[Check::Ptx(check)],
};

/// Maximum number of separate findings in a function. More findings are reported as one.
const MAX: usize = 8; // limit: findings of one function

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let is_reported = |body: &&Body<'_>| body.flow.is_whole() && !subject.module.is_debug;
    let Some(body) = subject.body().filter(is_reported) else { return };
    let mut dead: Vec<u32> = Vec::new();
    for (_, at) in body.flow.blocks().iter().zip(0..).filter(|(block, _)| block.is_reached) {
        body.liveness().walk(&body.flow, &body.registers, at, |instruction, is_live| {
            let mut writes = body.registers.writes(instruction).peekable();
            let writes_any = writes.peek().is_some();
            if writes_any
                && writes.all(|touch| !touch.is_part && !is_live(touch.register))
                && body.only_computes(instruction)
            {
                dead.push(instruction);
            }
        });
    }
    dead.sort_unstable();
    if dead.len() <= MAX {
        findings.extend(dead.iter().map(|&instruction| finding(body, instruction)));
        return;
    }
    let mut finding = finding(body, dead[0]);
    finding.message =
        format!("{}; neither are {} more values in this function", finding.message, dead.len() - 1);
    finding.related = dead[1..]
        .iter()
        .take(MAX)
        .map(|&instruction| Related {
            place: place(body, instruction),
            message: "also never read".to_owned(),
        })
        .collect();
    findings.push(finding);
}

fn finding(body: &Body<'_>, instruction: u32) -> Finding {
    let names: Vec<String> = body
        .registers
        .writes(instruction)
        .map(|touch| format!("`{}`", body.registers.name(touch.register, body.item, body.names)))
        .collect();
    let message = format!("the value written to {} is never read", names.join(" and "));
    Finding::new(RULE.code, place(body, instruction), message)
}

/// Byte range of the first register that the instruction writes.
fn place(body: &Body<'_>, instruction: u32) -> std::ops::Range<u32> {
    let first = body.registers.writes(instruction).next();
    first.map_or_else(|| body.range(instruction), |touch| body.token_range(touch.token))
}
