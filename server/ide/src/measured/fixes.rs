//! Edits that follow advice derived from measurements. The edits are the fixes for findings of static rules in the same
//! kernel.

use super::findings::LocatedAdvice;
use crate::engine::names::instance;
use crate::{Diagnostic, Fix, TextEdit};
use std::fmt::Write;

/// Code of the advice that the user can follow by adding launch bounds.
pub(crate) const FEW_WARPS: &str = "few-warps";

/// Edits of a text that follow one piece of advice derived from measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct AdviceFixes {
    /// The kernel, as the profile names it.
    pub kernel: String,
    /// Expected speed-up of the launch as a factor; `None` if unknown.
    pub claimed: Option<f64>,
    /// The edits, nearest to the advice first. Each title states the expected gain.
    pub fixes: Vec<Fix>,
}

/// Findings of the rules that the advice names, in the kernel that it concerns, nearest to the advice first.
pub(crate) fn nearest<'a>(advised: &LocatedAdvice, findings: &'a [Diagnostic]) -> Vec<&'a Diagnostic> {
    let kernel = plain(&advised.kernel);
    let is_own = |finding: &&Diagnostic| {
        advised.rules.iter().any(|rule| rule == finding.code)
            && finding.function.as_deref().is_none_or(|function| plain(function) == kernel)
    };
    let mut own: Vec<&Diagnostic> = findings.iter().filter(is_own).collect();
    own.sort_by_key(|finding| finding.range.start.abs_diff(advised.finding.range.start));
    own
}

/// Function name without scopes, result type, template arguments and parameters.
pub fn plain(name: &str) -> &str {
    instance(name).own_name()
}

/// True if two fixes edit disjoint byte ranges.
fn are_apart(one: &Fix, other: &Fix) -> bool {
    let is_apart = |edit: &TextEdit| {
        other.edits.iter().all(|own| own.range.end <= edit.range.start || edit.range.end <= own.range.start)
    };
    one.edits.iter().all(is_apart)
}

impl AdviceFixes {
    pub(crate) fn new(advised: &LocatedAdvice, fixes: Vec<Fix>) -> Self {
        let mut all: Vec<(Fix, usize)> = Vec::new();
        for mut fix in fixes {
            // A comment that suppresses a rule is not a change.
            let is_change = !fix.suppresses;
            if !is_change || all.iter().any(|(own, _)| fix.edits.iter().all(|edit| own.edits.contains(edit)))
            {
                continue;
            }
            // The expected gain is for all occurrences together.
            match all.iter_mut().find(|(own, _)| own.title == fix.title && are_apart(own, &fix)) {
                Some((own, places)) => {
                    own.edits.append(&mut fix.edits);
                    *places += 1;
                }
                None => all.push((Fix { preferred: false, ..fix }, 1)),
            }
        }
        let others = if all.len() > 1 { "with the other changes " } else { "" };
        let said = |(mut fix, places): (Fix, usize)| {
            fix.edits.sort_by_key(|edit| edit.range.start);
            if places > 1 {
                let _ = write!(fix.title, " ({places} places)");
            }
            if let Some(claimed) = advised.claimed {
                let _ =
                    write!(fix.title, " [from the profile: {others}about {claimed:.1}x faster, estimated]");
            }
            fix
        };
        let fixes = all.into_iter().map(said).collect();
        Self { kernel: advised.kernel.clone(), claimed: advised.claimed, fixes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_plain() {
        for (name, expected) in [
            ("gemm", "gemm"),
            ("void ns::gemm<(int)4, float (*)(int)>(const float *)", "gemm"),
            ("void (anonymous namespace)::copy<float>(float *)", "copy"),
            ("(anonymous namespace)::copy(float *)", "copy"),
            ("ns::(anonymous namespace)::copy(float *)", "copy"),
            ("std::enable_if<true, void>::type fill<int>(int *)", "fill"),
        ] {
            assert_eq!(plain(name), expected, "{name}");
        }
    }
}
