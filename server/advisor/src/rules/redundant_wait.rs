//! A wait for a scoreboard that is not set.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::flow::{SCOREBOARDS, forward};
use crate::rule::{Check, Group, Rule};
use model::Flow;

pub(super) const RULE: Rule = Rule {
    code: "redundant-wait",
    rank: 260,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A wait for a scoreboard that has not been set since the last wait for it.",
    page: include_str!("redundant_wait.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !codes.has_scoreboards() || codes.has_unread() {
        return;
    }
    let program = codes.program;
    let through = |block: u32, entry: u64| {
        program.blocks[block as usize]
            .instructions
            .clone()
            .fold(entry, |pending, at| following(codes, pending, at))
    };
    // The caller of a function may have set any scoreboard.
    let is_function = codes.instructions().any(|(at, _)| codes.mnemonic(at) == "RET");
    let entries = forward(program, if is_function { SCOREBOARDS } else { 0 }, through);
    for (block, entry) in program.blocks.iter().zip(entries) {
        let mut pending = entry;
        for at in block.instructions.clone() {
            let waits = u64::from(codes.inst(at).control.map_or(0, |control| control.wait_mask));
            let vain = waits & !pending;
            if vain != 0 {
                let message = format!(
                    "waits for {}, which no path has set since the last wait for it",
                    codes.scoreboards(vain as u8, "and")
                );
                findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, None));
            }
            pending = following(codes, pending, at);
        }
    }
}

fn following(codes: &Codes<'_>, pending: u64, at: u32) -> u64 {
    let called = if codes.inst(at).flow == Flow::Call { SCOREBOARDS } else { 0 };
    pending & !codes.waits(at) | codes.sets(at) | called
}
