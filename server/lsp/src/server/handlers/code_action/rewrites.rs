//! Rewrites: the optimization steps of Zhou et al. (ICS 2017), and new control codes.

use super::{Offered, UnresolvedAction};
use crate::server::documents::work::View;
use crate::server::handlers::edits::{described_edit, workspace_edit};
use ide::{AdviceEdit, Cancelled, ScheduleScope};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, Diagnostic, Range};

/// Title, explanation and edit of an action.
type Rewrite = (String, String, AdviceEdit);

/// Actions at the instruction where a range starts: the paper's optimization steps that can be written as an edit, and
/// new control codes. Edits that are already known are included.
pub(super) fn rewrites(view: &View, range: Range, is_asked: bool) -> Result<Vec<Offered>, Cancelled> {
    let offset = view.places().offset(range.start);
    let advised = view.analysis.advice_actions(offset, is_asked)?.into_iter();
    let mut steps: Vec<Rewrite> = advised.map(|step| (step.title, step.explanation, step.edit)).collect();
    // A client that cannot resolve an action's edit later gets the edit now, but not at every move of the
    // cursor.
    if view.features.resolves_actions || is_asked {
        let codes = view.analysis.schedule_actions(offset, is_asked)?.into_iter();
        steps.extend(codes.map(|codes| (codes.title, String::new(), AdviceEdit::Codes(codes.scope))));
    }
    let action = |(title, explanation, edit): Rewrite| {
        let edits = match &edit {
            AdviceEdit::Ready(edits) => Some(edits.clone()),
            AdviceEdit::Codes(_) => None,
        };
        Some(rewrite(view, offset, title, &explanation, edit).transpose()?.map(|action| (action, edits)))
    };
    steps.into_iter().filter_map(action).collect()
}

/// An action that writes control codes; `None` if they cannot be written.
fn rewrite(
    view: &View,
    offset: usize,
    title: String,
    explanation: &str,
    edit: AdviceEdit,
) -> Result<Option<CodeAction>, Cancelled> {
    let mut action =
        CodeAction { title, kind: Some(CodeActionKind::REFACTOR_REWRITE), ..CodeAction::default() };
    match edit {
        AdviceEdit::Ready(edits) => {
            action.edit = Some(described_edit(view, edits, &action.title, explanation));
        }
        AdviceEdit::Codes(scope) if view.features.resolves_actions => {
            let unresolved = UnresolvedAction { uri: view.uri.clone(), version: view.version, offset, scope };
            action.data = serde_json::to_value(unresolved).ok();
        }
        AdviceEdit::Codes(scope) => match view.analysis.schedule_edits(offset, scope)? {
            Some(Ok(edits)) => action.edit = Some(workspace_edit(view, edits)),
            _ => return Ok(None),
        },
    }
    Ok(Some(action))
}

/// The quick fix that gives all instructions of a kernel new control codes; `None` if they cannot be written.
pub(super) fn recompute(
    view: &View,
    offset: usize,
    finding: &Diagnostic,
    is_asked: bool,
) -> Result<Option<Offered>, Cancelled> {
    if !view.features.resolves_actions && !is_asked {
        return Ok(None);
    }
    let title = "Recompute the control codes of this kernel".to_owned();
    let written = rewrite(view, offset, title, "", AdviceEdit::Codes(ScheduleScope::Kernel))?;
    Ok(written.map(|action| {
        let kind = Some(CodeActionKind::QUICKFIX);
        (CodeAction { kind, diagnostics: Some(vec![finding.clone()]), ..action }, None)
    }))
}
