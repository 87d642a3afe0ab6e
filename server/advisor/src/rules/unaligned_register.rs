//! A register pair or quad that does not start at a multiple of its size.

use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};
use crate::spelling::{UNALIGNED_REGISTER, check_alignment};

pub(super) const RULE: Rule = Rule {
    code: UNALIGNED_REGISTER,
    rank: 100,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A register pair or quad that does not start at a multiple of its size.",
    page: include_str!("unaligned_register.md"),
    checks: &[Check::Codes(check_alignment)],
};
