//! Diagnostics: what the rules found, as the settings and the text's own comments allow.

use super::allowed::is_allowed;
use super::kernels::subject;
use super::view::CudaView;
use crate::engine::cancel::Answer;
use crate::engine::rules::level;
use crate::{Diagnostic, Related};
use advisor::cuda::Finding;

/// The findings of all kernels, in text order. A finding in a function that several kernels call is told once.
pub(crate) fn findings(view: &CudaView<'_>) -> Answer<Vec<Diagnostic>> {
    let gpu = view.target_gpu().gpu;
    let mut found: Vec<Diagnostic> = Vec::new();
    let work = || -> Answer<()> {
        for (item, _, kernel) in view.kernels() {
            let subject = subject(view, item, kernel, &gpu)?;
            for finding in advisor::check_unit(&subject) {
                let Some(diagnostic) = shown(view, &finding, &kernel.name) else { continue };
                let is_known =
                    |known: &Diagnostic| known.range == diagnostic.range && known.code == diagnostic.code;
                if !found.iter().any(is_known) {
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

/// A finding as it is shown; `None` where its rule is off, the text allows it, or its line does not parse.
fn shown(view: &CudaView<'_>, finding: &Finding, kernel: &str) -> Option<Diagnostic> {
    let severity = level(view.context, finding.code, finding.severity)?;
    let range = view.range(&finding.place);
    if view.is_broken(&finding.place) || is_allowed(view.text.text(), &range, finding.code) {
        return None;
    }
    let related = finding
        .related
        .iter()
        .map(|related| Related { range: view.range(&related.place), message: related.message.clone() });
    Some(Diagnostic {
        related: related.collect(),
        function: Some(kernel.to_owned()),
        ..Diagnostic::new(finding.code, severity, range, finding.message.clone())
    })
}
