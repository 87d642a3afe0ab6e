//! Findings of the language merged with findings of the compiled code, followed by recommendations from
//! profiles.

use super::contributors::{Contribution, Contributor, Contributors};
use crate::Diagnostic;
use crate::compiled::findings as of_code;
use crate::compiled::view::CodeView;
use crate::cuda::kernels::instance_of;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use model::MemorySpace;

/// Returns the findings that need the performance model.
pub(crate) fn findings(all: &Contributors<'_>) -> Cancellable<Vec<Diagnostic>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.model_diagnostics()?),
            Contributor::Code(code) => Contribution::joins(move |by_text| with_code(code, by_text)),
            Contributor::Profile(profile) => Contribution::joins(move |mut findings: Vec<Diagnostic>| {
                findings.extend(profile.findings()?);
                findings.sort_by_key(|finding| finding.range.start);
                Ok(findings)
            }),
        })
    })
}

/// Merges the findings of the language with the findings of its compiled code. A finding in both keeps the
/// figures of the code and the range in the source.
fn with_code(code: &CodeView<'_>, by_text: Vec<Diagnostic>) -> Cancellable<Vec<Diagnostic>> {
    if code.is_stale() {
        return Ok(by_text);
    }
    let text = code.text();
    let mut all = of_code::findings(code)?;
    let mut placed = vec![false; all.len()];
    let line_of = |at: usize| text[..at.min(text.len())].rfind('\n').map_or(0, |end| end + 1);
    let mut left = by_text;
    // A line may have several accesses. Pair findings with equal costs first, then pair the other findings in
    // order.
    for is_similar in [costs_as_much as fn(&str, &str) -> bool, |_, _| true] {
        let mut rest = Vec::new();
        for own in left {
            let line = line_of(own.range.start);
            let same = (0..all.len()).find(|&at| {
                let found = &all[at];
                !placed[at]
                    && found.code == own.code
                    && line_of(found.range.start) == line
                    && is_similar(&found.message, &own.message)
            });
            match same {
                Some(at) => (all[at].range, placed[at]) = (own.range, true),
                None => rest.push(own),
            }
        }
        left = rest;
    }
    all.extend(left.into_iter().filter(|own| !is_settled(code, own)));
    all.sort_by_key(|found| found.range.start);
    Ok(all)
}

/// Rules about memory accesses, each with its memory space. Findings of these rules in compiled code replace their
/// findings in the source.
const OF_CODE: [(&str, MemorySpace); 2] =
    [("bank-conflict", MemorySpace::Shared), ("uncoalesced-access", MemorySpace::Global)];

/// True if a finding in the source is about memory accesses whose costs are known in the compiled code, which makes
/// the finding obsolete. The costs must be known in each compiled instance of the kernel; `is_unsure` checks this.
fn is_settled(code: &CodeView<'_>, own: &Diagnostic) -> bool {
    let Some((_, space)) = OF_CODE.into_iter().find(|(rule, _)| *rule == own.code) else { return false };
    let text = code.text();
    let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..own.range.start.min(text.len())]).count();
    let Some(name) = own.function.as_deref() else { return false };
    let mut kernels =
        code.sass.kernels().filter(|(_, chunk)| is_of(names::kernel_name(chunk), name)).peekable();
    kernels.peek().is_some()
        && !kernels.any(|(kernel, _)| of_code::is_unsure(code, kernel, line as u32, space))
}

/// True if two messages about memory accesses report the same cost per request.
fn costs_as_much(one: &str, other: &str) -> bool {
    let cost = |message: &str| -> Option<String> {
        let end = message.find(" per request")?;
        let start = message[..end].rfind([':', '.']).map_or(0, |at| at + 1);
        Some(message[start..end].trim().to_owned())
    };
    cost(one).is_some_and(|own| cost(other) == Some(own))
}

/// True if the compiled kernel `code` is the source kernel `kernel` or, if `kernel` is a template, an instance of it.
pub(super) fn is_of(code: &str, kernel: &str) -> bool {
    code == kernel || instance_of(code, kernel).is_some()
}
