//! Actions that write the best variant of a tuned kernel.

use crate::server::documents::work::View;
use crate::server::handlers::edits::described_edit;
use crate::server::session::Session;
use ide::Cancelled;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, Range};

/// One action per tuned shape of the kernel whose name, or one of whose tuned parameters, a range touches.
pub(super) fn tuned(session: &Session, view: &View, range: Range) -> Result<Vec<CodeAction>, Cancelled> {
    if view.analysis.is_python() {
        return configurations(view, range);
    }
    let known = session.tuning.known(&view.uri, &view.analysis);
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let range = view.places().bytes(range);
    let kernels = view.analysis.tuned_kernels()?.into_iter();
    let touched = kernels
        .filter(|own| own.places.iter().any(|place| place.start <= range.end && range.start <= place.end));
    let actions = touched.filter_map(|own| {
        let shape = own.shape.to_string();
        let outcome = known.iter().find(|known| known.kernel == own.kernel && known.shape == shape)?;
        let title = outcome.write_title()?;
        let edits = outcome.best()?.edits.clone();
        let explanation = format!("{}; {}", outcome.title(), outcome.gpu);
        let edit = described_edit(view, edits, &title, &explanation);
        let kind = Some(CodeActionKind::REFACTOR_REWRITE);
        Some(CodeAction { title, kind, edit: Some(edit), ..CodeAction::default() })
    });
    Ok(actions.collect())
}

/// Actions on the list of configurations of a Triton kernel whose decorators or name a range touches.
fn configurations(view: &View, range: Range) -> Result<Vec<CodeAction>, Cancelled> {
    let range = view.places().bytes(range);
    let mut kernels = view.analysis.tuned_kernels()?.into_iter();
    let touched = kernels
        .find(|own| own.places.iter().any(|place| place.start <= range.end && range.start <= place.end));
    let Some(own) = touched.filter(|own| !own.is_refused) else { return Ok(Vec::new()) };
    let kept = view.analysis.kept_configurations(&own.kernel)?.into_iter();
    let actions = kept.map(|kept| {
        let edit = described_edit(view, kept.edits, &kept.title, &kept.explanation);
        let kind = Some(CodeActionKind::REFACTOR_REWRITE);
        CodeAction { title: kept.title, kind, edit: Some(edit), ..CodeAction::default() }
    });
    Ok(actions.collect())
}
