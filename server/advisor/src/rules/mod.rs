//! The rules, one file each.

mod bank_conflict;
mod local_memory_access;
mod misaligned_vector_access;
mod overwritten_too_early;
mod read_too_early;
mod register_spill;
mod source_overwritten;
mod syntax_error;
mod uncoalesced_access;
mod unknown_opcode;
mod unknown_trip_count;
mod unwaited_result;

use crate::Rule;

/// Every rule.
pub const RULES: &[Rule] = &[
    syntax_error::RULE,
    unknown_opcode::RULE,
    read_too_early::RULE,
    overwritten_too_early::RULE,
    unwaited_result::RULE,
    source_overwritten::RULE,
    bank_conflict::RULE,
    uncoalesced_access::RULE,
    misaligned_vector_access::RULE,
    local_memory_access::RULE,
    register_spill::RULE,
    unknown_trip_count::RULE,
];

/// The rule of that code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
