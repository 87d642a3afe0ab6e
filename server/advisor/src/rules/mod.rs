//! The rules, one file each.

mod above_target;
mod above_version;
mod bank_conflict;
mod call_mismatch;
mod convergence_mismatch;
mod dead_write;
mod divergent_barrier;
mod double_precision;
mod exact_rounding;
mod function_call;
mod impossible_pair;
mod integer_division;
mod invalid_declaration;
mod invalid_directive;
mod invalid_header;
mod invalid_initialiser;
mod local_memory_access;
mod low_occupancy;
mod misaligned_vector_access;
mod misplaced_modifier;
mod missing_modifier;
mod narrow_access;
mod no_launch_bounds;
mod operand_count;
mod operand_kind;
mod operand_type;
mod operand_value;
mod overwritten_too_early;
mod prototype_mismatch;
mod read_only_write;
mod read_too_early;
mod redeclared_name;
mod redundant_wait;
mod register_bank_conflict;
mod register_pressure;
mod register_spill;
mod scalar_access;
mod shared_over_budget;
mod source_overwritten;
mod stall_above_need;
mod stall_without_yield;
mod syntax_error;
mod uncoalesced_access;
mod undeclared_name;
mod undefined_label;
mod uninitialised_register;
mod unknown_modifier;
mod unknown_opcode;
mod unknown_trip_count;
mod unreachable_code;
mod unused_register;
mod unused_scoreboard;
mod unwaited_result;
mod useless_modifier;
mod useless_reuse;
mod wrong_space;

use crate::rule::Rule;

/// Every rule.
pub const RULES: &[Rule] = &[
    syntax_error::RULE,
    unknown_opcode::RULE,
    undeclared_name::RULE,
    undefined_label::RULE,
    redeclared_name::RULE,
    prototype_mismatch::RULE,
    invalid_declaration::RULE,
    invalid_initialiser::RULE,
    invalid_directive::RULE,
    invalid_header::RULE,
    unknown_modifier::RULE,
    misplaced_modifier::RULE,
    missing_modifier::RULE,
    useless_modifier::RULE,
    operand_count::RULE,
    operand_kind::RULE,
    operand_type::RULE,
    operand_value::RULE,
    wrong_space::RULE,
    read_only_write::RULE,
    call_mismatch::RULE,
    above_target::RULE,
    above_version::RULE,
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
    divergent_barrier::RULE,
    unreachable_code::RULE,
    dead_write::RULE,
    unused_register::RULE,
    shared_over_budget::RULE,
    low_occupancy::RULE,
    register_pressure::RULE,
    no_launch_bounds::RULE,
    double_precision::RULE,
    integer_division::RULE,
    exact_rounding::RULE,
    function_call::RULE,
    narrow_access::RULE,
    scalar_access::RULE,
];

/// The rule of that code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
