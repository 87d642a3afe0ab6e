//! The rules, one file each. Rules that repeat the assembler's checks are in `assembler/code.rs`.

use crate::assembler::Code;
use crate::rule::{Check, Rule};
use crate::spelling;
use std::sync::LazyLock;

// Written by `build.rs`: a module for each file of this folder, and the list `files::RULES` of their rules.
include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// All rules, in the order of their ranks.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter()
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // The rule of the first code has a file, because it has its own check for SASS.
    let codes = Code::ALL.iter().skip(1).map(|&code| Rule::from_code(code, checks(code)));
    let mut rules: Vec<Rule> = files::RULES.iter().copied().chain(codes).collect();
    rules.sort_by_key(|rule| rule.rank);
    rules
});

/// The checks for an assembler error: one for PTX items and, if SASS can have the error, one or more for SASS.
fn checks(code: Code) -> &'static [Check] {
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

/// Returns the rule with this code; `None` for an unknown code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
