//! Consecutive launches in which each thread reads the array element that the same thread wrote in the
//! previous launch.

use crate::cuda::{Finding, Subject};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{FoundLaunch, fusible};

pub(super) const RULE: Rule = Rule {
    code: "separate-launches",
    rank: 480,
    group: Group::Memory,
    severity: Severity::Hint,
    summary: "Each thread of a launch reads what the same thread of the previous launch wrote: one kernel would keep it in registers.",
    page: include_str!("separate_launches.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if !subject.parses() {
        return;
    }
    for own in subject.in_host.iter().filter(|found| found.function == subject.kernel.name) {
        let adjacent: Vec<&FoundLaunch> =
            subject.in_host.iter().filter(|found| found.place.item == own.place.item).copied().collect();
        let Some(found) = fusible(subject.environment, subject.kernel, own, &adjacent) else { continue };
        let bytes = in_words(found.elements.saturating_mul(found.bytes));
        let (first, array, name) = (&found.first, &found.array, &subject.kernel.name);
        let message = format!(
            "each thread of `{name}` reads the element of `{array}` that the same thread of `{first}` wrote. A fused \
             kernel keeps it in a register and saves {bytes} of loads, and the same number of bytes of stores if \
             nothing else reads `{array}`."
        );
        let related = Related {
            place: found.place,
            message: format!("`{array}` is written here by the same number of threads"),
        };
        findings.push(Finding { related: vec![related], ..Finding::new(RULE.code, own.place, message) });
    }
}

/// Size with a decimal unit: `64 bytes`, `4.2 MB`.
fn in_words(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}
