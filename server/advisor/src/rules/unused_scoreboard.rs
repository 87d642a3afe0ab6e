//! A scoreboard that is set but not waited for.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::flow::{SCOREBOARDS, backward};
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "unused-scoreboard",
    rank: 270,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A scoreboard that is set but that no path waits for.",
    page: include_str!("unused_scoreboard.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !codes.has_scoreboards() || codes.has_unread() {
        return;
    }
    let program = codes.program;
    let instructions = |block: u32| program.blocks[block as usize].instructions.clone();
    let ends = |block: u32| if codes.leaves(instructions(block).end - 1) { SCOREBOARDS } else { 0 };
    let through =
        |block: u32, exit: u64| instructions(block).rev().fold(exit, |waited, at| before(codes, waited, at));
    let exits = backward(program, ends, through);
    for (block, exit) in (0..).zip(exits) {
        let mut waited = exit;
        for at in instructions(block).rev() {
            let vain = codes.sets(at) & !waited;
            // Another rule reports a missing wait.
            let is_missed = || codes.checked.hazards.iter().any(|hazard| hazard.first == at);
            if vain != 0 && codes.inst(at).control.is_some() && !is_missed() {
                let names = codes.scoreboards(vain as u8, "and");
                let message = format!("sets {names}, but no path from here waits for it");
                findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, None));
            }
            waited = before(codes, waited, at);
        }
    }
}

fn before(codes: &Codes<'_>, waited: u64, at: u32) -> u64 {
    let counted = codes.program.counted_wait(at).map_or(0, |wait| 1 << wait.scoreboard);
    let left = if codes.leaves(at) || codes.inst(at).control.is_none() { SCOREBOARDS } else { 0 };
    waited | codes.waits(at) | counted | left
}
