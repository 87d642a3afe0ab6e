//! Loops in host code in which each iteration launches a kernel for another range of the data.

use crate::cuda::{Finding, Subject};
use crate::fill::{is_small, small_in_words};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{FoundLaunch, LaunchLoop, SourceSpan, launch_loop};

pub(super) const RULE: Rule = Rule {
    code: "launch-in-loop",
    rank: 410,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "Host code launches a kernel once per part of the data, in a loop that could be a grid dimension.",
    page: include_str!("launch_in_loop.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if !subject.parses() {
        return;
    }
    for own in subject.in_host.iter().filter(|found| found.function == subject.kernel.name) {
        let Some(found) = launch_loop(subject.environment, subject.kernel, own) else { continue };
        let Some(size) = size_in_words(subject, own) else { continue };
        let LaunchLoop { counter, passes, array, place } = found;
        let passes =
            passes.map_or_else(|| "the iterations".to_owned(), |passes| format!("the {passes} iterations"));
        let message = format!(
            "{passes} of the loop around this launch are independent: each writes its own part of `{array}`. With \
             `{counter}` as a grid dimension, one launch does all the work in parallel. {size}."
        );
        let related = Related {
            place: SourceSpan::new(own.place.item, &place),
            message: format!("one launch for each `{counter}`, executed one after the other"),
        };
        findings.push(Finding { related: vec![related], ..Finding::new(RULE.code, own.place, message) });
    }
}

/// Describes the fraction of the GPU that one launch fills; `None` if the launch fills the GPU.
fn size_in_words(subject: &Subject<'_>, own: &FoundLaunch) -> Option<String> {
    if own.grid.is_none() || own.block.is_none() {
        return Some(
            "The change helps only if one launch fills little of the GPU, and the size of the launch is \
                     unknown here"
                .to_owned(),
        );
    }
    let launched = subject.launches.iter().find(|launched| launched.launch.place == Some(own.place))?;
    is_small(subject, launched).then(|| capital(&small_in_words(subject, launched)))
}

/// Returns the text with its first letter capitalised.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
