//! Diagnostics of the rules, filtered by the settings and by comments in the source.

use super::allowed::is_allowed;
use super::kernels::{hash_of_subject, subject};
use super::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::rules::level;
use crate::{Diagnostic, Related};
use advisor::cuda::Finding;
use model::Gpu;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use syntax::cuda::Function;

/// Returns the findings of all kernels, in text order. A finding in a function that several kernels call is
/// reported once.
pub(crate) fn findings(view: &CudaView<'_>) -> Cancellable<Vec<Diagnostic>> {
    let gpu = view.target_gpu().gpu;
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut known: FxHashSet<(usize, usize, &str)> = FxHashSet::default();
    let work = || -> Cancellable<()> {
        for (item, _, kernel) in view.kernels() {
            for finding in found_in(view, item, kernel, &gpu)?.iter() {
                let Some(diagnostic) = shown(view, finding, &kernel.name) else { continue };
                if known.insert((diagnostic.range.start, diagnostic.range.end, diagnostic.code)) {
                    found.push(diagnostic);
                }
            }
        }
        Ok(())
    };
    view.cancel.ending(work)?;
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}

/// Returns the findings of all rules in a kernel, including rules that are switched off.
pub(crate) fn found_in(
    view: &CudaView<'_>,
    item: u32,
    kernel: &Function,
    gpu: &Gpu,
) -> Cancellable<Arc<Vec<Finding>>> {
    view.cancel.check()?;
    view.text.findings(item, hash_of_subject(view, kernel, gpu), || {
        let subject = subject(view, item, kernel, gpu)?;
        Ok(advisor::check_unit(&subject))
    })
}

/// Converts a finding to a diagnostic. `None` if its rule is off, a comment suppresses it, or its line has a
/// syntax error.
fn shown(view: &CudaView<'_>, finding: &Finding, kernel: &str) -> Option<Diagnostic> {
    let severity = level(view.context, finding.code, finding.severity)?;
    let range = view.range(finding.place);
    if view.is_broken(finding.place) || is_allowed(view.text, &range, finding.code) {
        return None;
    }
    let related = finding
        .related
        .iter()
        .filter(|related| CudaView::is_own(related.place))
        .map(|related| Related { range: view.range(related.place), message: related.message.clone() });
    Some(Diagnostic {
        related: related.collect(),
        function: Some(kernel.to_owned()),
        ..Diagnostic::new(finding.code, severity, range, finding.message.clone())
    })
}
