//! The rules, one file each.

mod bank_conflict;
mod local_memory_access;
mod misaligned_vector_access;
mod register_spill;
mod syntax_error;
mod uncoalesced_access;
mod unknown_opcode;
mod unknown_trip_count;

use crate::Rule;

/// Every rule.
pub const RULES: &[Rule] = &[
    syntax_error::RULE,
    unknown_opcode::RULE,
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
