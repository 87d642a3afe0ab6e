//! Actions that write the best variant of a tuned kernel.

use crate::server::documents::work::View;
use crate::server::handlers::edits::described_edit;
use crate::server::session::Session;
use ide::{Cancelled, TextEdit, TunedKernel};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, Range};

/// One action per tuned shape of a kernel. A kernel is included if the range touches its name or one of its
/// tuned parameters.
pub(super) fn tuned(session: &Session, view: &View, range: Range) -> Result<Vec<CodeAction>, Cancelled> {
    if view.analysis.is_python() {
        return configurations(view, range);
    }
    let known = session.tuning.known(&view.uri, &view.analysis);
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let actions = touched(view, range)?.filter_map(|own| {
        let shape = own.shape.to_string();
        let outcome = known.iter().find(|known| known.kernel == own.kernel && known.shape == shape)?;
        let title = outcome.write_title()?;
        let edits = outcome.best()?.edits.clone();
        Some(rewrite(view, edits, title, &format!("{}; {}", outcome.title(), outcome.gpu)))
    });
    Ok(actions.collect())
}

/// Actions that edit the list of configurations of a Triton kernel, if a range touches the kernel's name or
/// decorators.
fn configurations(view: &View, range: Range) -> Result<Vec<CodeAction>, Cancelled> {
    let first = touched(view, range)?.next();
    let Some(own) = first.filter(|own| !own.is_refused) else { return Ok(Vec::new()) };
    let kept = view.analysis.kept_configurations(&own.kernel)?.into_iter();
    Ok(kept.map(|kept| rewrite(view, kept.edits, kept.title, &kept.explanation)).collect())
}

/// The tuned kernels that a range touches, by the kernel's name or one of its tuned parameters.
fn touched(view: &View, range: Range) -> Result<impl Iterator<Item = TunedKernel> + use<>, Cancelled> {
    let range = view.places().bytes(range);
    let is_touched =
        move |place: &std::ops::Range<usize>| place.start <= range.end && range.start <= place.end;
    Ok(view.analysis.tuned_kernels()?.into_iter().filter(move |own| own.places.iter().any(&is_touched)))
}

fn rewrite(view: &View, edits: Vec<TextEdit>, title: String, explanation: &str) -> CodeAction {
    let edit = Some(described_edit(view, edits, &title, explanation));
    CodeAction { title, kind: Some(CodeActionKind::REFACTOR_REWRITE), edit, ..CodeAction::default() }
}
