//! The rules, one file each.

mod bank_conflict;
mod convergence_mismatch;
mod impossible_pair;
mod local_memory_access;
mod misaligned_vector_access;
mod overwritten_too_early;
mod read_too_early;
mod redundant_wait;
mod register_bank_conflict;
mod register_spill;
mod source_overwritten;
mod stall_above_need;
mod stall_without_yield;
mod syntax_error;
mod uncoalesced_access;
mod uninitialised_register;
mod unknown_opcode;
mod unknown_trip_count;
mod unused_scoreboard;
mod unwaited_result;
mod useless_reuse;

use crate::Rule;

/// Every rule.
pub const RULES: &[Rule] = &[
    syntax_error::RULE,
    unknown_opcode::RULE,
    read_too_early::RULE,
    overwritten_too_early::RULE,
    unwaited_result::RULE,
    source_overwritten::RULE,
    stall_without_yield::RULE,
    impossible_pair::RULE,
    convergence_mismatch::RULE,
    bank_conflict::RULE,
    uncoalesced_access::RULE,
    misaligned_vector_access::RULE,
    local_memory_access::RULE,
    register_spill::RULE,
    unknown_trip_count::RULE,
    redundant_wait::RULE,
    unused_scoreboard::RULE,
    stall_above_need::RULE,
    useless_reuse::RULE,
    register_bank_conflict::RULE,
    uninitialised_register::RULE,
];

/// The rule of that code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
