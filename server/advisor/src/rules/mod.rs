//! The rules, one file each. Rules that repeat the assembler's checks are in `assembler/code.rs`.

mod bank_conflict;
mod convergence_mismatch;
mod dead_write;
mod divergent_barrier;
mod divergent_branch;
mod double_constant;
mod double_precision;
mod exact_rounding;
mod function_call;
mod idle_threads;
mod impossible_pair;
mod integer_division;
mod invalid_control_code;
mod invariant_load;
mod launch_in_loop;
mod local_memory_access;
mod low_occupancy;
mod misaligned_vector_access;
mod misplaced_reuse;
mod narrow_access;
mod no_launch_bounds;
mod overwritten_too_early;
mod partial_warp;
mod percent_escape;
mod read_too_early;
mod redundant_wait;
mod register_bank_conflict;
mod register_pressure;
mod register_spill;
mod scalar_access;
mod separate_launches;
mod serial_loop;
mod shared_over_budget;
mod source_overwritten;
mod stall_above_need;
mod stall_without_yield;
mod syncwarp_suffices;
mod syntax_error;
mod unaligned_register;
mod uncoalesced_access;
mod uninitialised_register;
mod unknown_asm_operand;
mod unknown_opcode;
mod unknown_trip_count;
mod unreachable_code;
mod unused_asm_operand;
mod unused_register;
mod unused_scoreboard;
mod unwaited_result;
mod useless_reuse;
mod wrong_constraint;

use crate::assembler::Code;
use crate::rule::{Check, Rule};
use crate::spelling;

/// All rules, starting with the most basic rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    SYNTAX.iter().chain(&ASSEMBLER).chain(INLINE_ASM).chain(OTHERS)
}

const SYNTAX: &[Rule] = &[syntax_error::RULE];

/// Rules that report the assembler's errors. The first rule has its own check for SASS.
static ASSEMBLER: [Rule; Code::ALL.len()] = {
    let mut all = [unknown_opcode::RULE; Code::ALL.len()];
    let mut at = 1;
    while at < all.len() {
        let code = Code::ALL[at];
        all[at] = Rule::from_code(code, checks(code));
        at += 1;
    }
    all
};

/// The checks for an assembler error: one for PTX items and, if SASS can have the error, one or more for SASS.
const fn checks(code: Code) -> &'static [Check] {
    match code {
        Code::UnknownModifier => &[
            Check::Assembler,
            Check::Codes(spelling::check_modifiers),
            Check::Codes(spelling::check_repeated_modifiers),
        ],
        Code::OperandCount => &[Check::Assembler, Check::Codes(spelling::check_operand_counts)],
        Code::OperandKind => &[
            Check::Assembler,
            Check::Codes(spelling::check_operand_kinds),
            Check::Codes(spelling::check_addresses),
            Check::Codes(spelling::check_signs),
            Check::Codes(spelling::check_label_operands),
            Check::Codes(spelling::check_carries),
        ],
        Code::OperandValue => &[
            Check::Assembler,
            Check::Codes(spelling::check_register_range),
            Check::Codes(spelling::check_special_registers),
            Check::Codes(spelling::check_numbers),
        ],
        Code::UndefinedLabel => &[Check::Assembler, Check::Codes(spelling::check_labels)],
        _ => &[Check::Assembler],
    }
}

/// Rules about the operands and constraints of `asm` statements.
const INLINE_ASM: &[Rule] =
    &[unknown_asm_operand::RULE, unused_asm_operand::RULE, percent_escape::RULE, wrong_constraint::RULE];

const OTHERS: &[Rule] = &[
    unaligned_register::RULE,
    misplaced_reuse::RULE,
    invalid_control_code::RULE,
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
    partial_warp::RULE,
    idle_threads::RULE,
    serial_loop::RULE,
    launch_in_loop::RULE,
    register_pressure::RULE,
    no_launch_bounds::RULE,
    double_precision::RULE,
    double_constant::RULE,
    syncwarp_suffices::RULE,
    invariant_load::RULE,
    separate_launches::RULE,
    divergent_branch::RULE,
    integer_division::RULE,
    exact_rounding::RULE,
    function_call::RULE,
    narrow_access::RULE,
    scalar_access::RULE,
];

/// Returns the rule with this code; `None` for an unknown code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
