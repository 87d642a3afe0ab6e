//! Loops whose trip count neither the code nor the launch determines.

use crate::finding::{Finding, Severity, Site};
use crate::kernel::Kernel;
use crate::rule::{Check, Group, Rule};
use model::execution::UNSTATED_TRIPS;
use std::collections::BTreeMap;

pub(super) const RULE: Rule = Rule {
    code: "unknown-trip-count",
    rank: 250,
    group: Group::Schedule,
    severity: Severity::Info,
    summary: "A loop's trip count depends on data and is not given in the launch.",
    page: include_str!("unknown_trip_count.md"),
    checks: &[Check::Run(check)],
};

/// Reports findings only if a launch is specified, because all figures of an assumed launch are assumptions.
fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let stated = kernel.memory.launches.iter().filter(|launched| !launched.launch.assumed);
    let mut loops: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for launched in stated {
        for &branch in &launched.survey.guessed_trips {
            loops.entry(branch).or_default().extend(launched.launch.name.as_deref());
        }
    }
    for (branch, launches) in loops {
        let instruction = &kernel.chunk.instructions()[branch as usize];
        let token = kernel.chunk.mnemonic_token(instruction);
        let at = if launches.is_empty() { String::new() } else { format!(" at {}", launches.join(", ")) };
        let label = kernel.memory.source.and_then(|source| source.label(branch));
        let key = label.or_else(|| instruction.address.map(|address| format!("{address:#x}")));
        let key = key.map_or_else(String::new, |key| format!(": `trips = {{ \"{key}\" = N }}`"));
        let message = format!(
            "Loop count unknown{at}, assumed {UNSTATED_TRIPS}: it depends on data. Set it in warplens.toml{key}."
        );
        let place = Site::new(branch, token.start..token.start + token.len);
        findings.push(Finding::new(RULE.code, place, message));
    }
}
