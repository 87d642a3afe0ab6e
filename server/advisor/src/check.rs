//! Entry points that run the checks of all rules.

use crate::assembler;
use crate::codes::Codes;
use crate::cuda;
use crate::finding::Finding;
use crate::kernel::Kernel;
use crate::ptx::{Finding as PtxFinding, Subject};
use crate::rule::Check;
use crate::rules::rules;
use model::ptx::{Module, Ptx};

/// Findings of all rules in a kernel, in text order. Rules that are `off` and the rules of [`check_codes`]
/// are skipped.
pub fn check(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    find(off, |check, findings| {
        if let Check::Kernel(check) | Check::Run(check) = check {
            check(kernel, findings);
        }
    })
}

/// Findings of those rules of [`check`] that also apply to SASS predicted from PTX, in text order.
pub fn check_expected(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    find(off, |check, findings| {
        if let Check::Run(check) = check {
            check(kernel, findings);
        }
    })
}

/// Findings of the rules that depend only on the text and the architecture named in it, in text order.
pub fn check_codes(codes: &Codes<'_>) -> Vec<Finding> {
    find(
        |_| false,
        |check, findings| {
            if let Check::Codes(check) = check {
                check(codes, findings);
            }
        },
    )
}

/// Runs the checks of all rules that are not `off`. Returns the findings in text order.
fn find(off: impl Fn(&str) -> bool, run: impl Fn(&Check, &mut Vec<Finding>)) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in rules().filter(|rule| !off(rule.code)).flat_map(|rule| rule.checks) {
        run(check, &mut findings);
    }
    findings.sort_by_key(|finding| finding.place.instruction);
    findings
}

/// Errors in the directives that open a module. Each error has the index of its item.
pub fn check_heading(module: &Module, tables: &Ptx) -> Vec<(usize, PtxFinding)> {
    assembler::check_header(module, tables)
}

/// Findings of all rules in an item, in text order. Rules that are `off` are skipped.
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

/// Findings of all rules in a CUDA kernel and in the functions that it calls, in text order.
pub fn check_unit(subject: &cuda::Subject<'_>) -> Vec<cuda::Finding> {
    let mut findings = Vec::new();
    for check in rules().flat_map(|rule| rule.checks) {
        if let Check::Cuda(check) = check {
            check(subject, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.place);
    findings
}
