//! The search for defects by all rules.

use crate::codes::Codes;
use crate::finding::Finding;
use crate::kernel::Kernel;
use crate::ptx::{Finding as PtxFinding, Subject};
use crate::rule::Check;
use crate::rules::RULES;
use model::ptx::{Module, Ptx};

/// All that the rules find in a kernel, but for those that are `off` and those of [`check_codes`]; in text order.
pub fn check(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| !off(rule.code)) {
        for check in rule.checks {
            if let Check::Kernel(check) | Check::Run(check) = check {
                check(kernel, &mut findings);
            }
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}

/// What of it holds for SASS that PTX is expected to become; in text order.
pub fn check_expected(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in RULES.iter().filter(|rule| !off(rule.code)).flat_map(|rule| rule.checks) {
        if let Check::Run(check) = check {
            check(kernel, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}

/// All that the rules find that look at nothing but the text and its own architecture; in text order.
pub fn check_codes(codes: &Codes<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in RULES.iter().flat_map(|rule| rule.checks) {
        if let Check::Codes(check) = check {
            check(codes, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}

/// What is wrong with how a module begins, by item.
pub fn check_heading(module: &Module, tables: &Ptx) -> Vec<(usize, PtxFinding)> {
    let problems = model::ptx::check_header(module, tables);
    problems.iter().map(|(item, problem)| (*item, PtxFinding::of(problem))).collect()
}

/// All that the rules find in an item, but for those that are `off`; in text order.
pub fn check_item(subject: &Subject<'_>, off: impl Fn(&str) -> bool) -> Vec<PtxFinding> {
    let mut findings = Vec::new();
    for check in RULES.iter().filter(|rule| !off(rule.code)).flat_map(|rule| rule.checks) {
        if let Check::Ptx(check) = check {
            check(subject, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.range.start);
    findings
}
