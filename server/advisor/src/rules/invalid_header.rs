//! What a module says first. `ptx::check_heading` finds these: they concern no single item.

use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidHeader.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A PTX module that does not begin with a `.version` and a `.target` that know each other.",
    page: include_str!("invalid_header.md"),
    checks: &[Check::Heading],
};
