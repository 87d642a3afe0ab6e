//! The rules, one file each.

mod syntax_error;
mod unknown_opcode;

use crate::Rule;

/// Every rule.
pub const RULES: &[Rule] = &[syntax_error::RULE, unknown_opcode::RULE];

/// The rule of that code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
