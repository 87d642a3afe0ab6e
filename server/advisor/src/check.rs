//! The search for defects by all rules.

use crate::assembler;
use crate::codes::Codes;
use crate::finding::Finding;
use crate::kernel::Kernel;
use crate::ptx::{Finding as PtxFinding, Subject};
use crate::rule::Check;
use crate::rules::rules;
use model::ptx::{Module, Ptx};

/// All that the rules find in a kernel, but for those that are `off` and those of [`check_codes`]; in text order.
pub fn check(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in rules().filter(|rule| !off(rule.code)) {
        for check in rule.checks {
            if let Check::Kernel(check) | Check::Run(check) = check {
                check(kernel, &mut findings);
            }
        }
    }
    findings.sort_by_key(|finding| finding.place.instruction);
    findings
}

/// What of it holds for SASS that PTX is expected to become; in text order.
pub fn check_expected(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in rules().filter(|rule| !off(rule.code)).flat_map(|rule| rule.checks) {
        if let Check::Run(check) = check {
            check(kernel, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.place.instruction);
    findings
}

/// All that the rules find that look at nothing but the text and its own architecture; in text order.
pub fn check_codes(codes: &Codes<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in rules().flat_map(|rule| rule.checks) {
        if let Check::Codes(check) = check {
            check(codes, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.place.instruction);
    findings
}

/// What is wrong with how a module begins, by item.
pub fn check_heading(module: &Module, tables: &Ptx) -> Vec<(usize, PtxFinding)> {
    assembler::check_header(module, tables)
}

/// All that the rules find in an item, but for those that are `off`; in text order.
pub fn check_item(subject: &Subject<'_>, off: impl Fn(&str) -> bool) -> Vec<PtxFinding> {
    let mut findings = Vec::new();
    for rule in rules().filter(|rule| !off(rule.code)) {
        for check in rule.checks {
            match check {
                Check::Ptx(check) => check(subject, &mut findings),
                Check::Assembler => subject.report(rule.code, &mut findings),
                _ => {}
            }
        }
    }
    findings.sort_by_key(|finding| finding.place.start);
    findings
}
