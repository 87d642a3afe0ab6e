//! Quick fixes in `warplens.toml`.

use crate::server::handlers::edits::launch_file_edit;
use crate::server::session::Session;
use crate::server::workspace::launch_text;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, Range, Uri};

/// Fixes for the problems in a range of a launches file; `None` for any other document.
pub(super) fn launch_file_fixes(
    session: &Session,
    uri: &Uri,
    range: Range,
    shown: &[Diagnostic],
) -> Option<impl Future<Output = Result<Option<Vec<CodeActionOrCommand>>>> + use<>> {
    let shown = shown.to_vec();
    launch_text::answer(&session.workspace, uri, move |file| {
        let mut places = file.places();
        let bytes = places.bytes(range);
        let mut actions = Vec::new();
        for (problem, fixes) in file.view.fixes(&bytes) {
            let is_its = |finding: &&Diagnostic| finding.message == problem.message;
            let finding = shown.iter().find(is_its).cloned();
            actions.extend(fixes.into_iter().map(|fix| {
                CodeActionOrCommand::CodeAction(CodeAction {
                    title: fix.title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: finding.clone().map(|finding| vec![finding]),
                    edit: Some(launch_file_edit(file, fix.edits)),
                    is_preferred: fix.preferred.then_some(true),
                    ..CodeAction::default()
                })
            }));
        }
        (!actions.is_empty()).then_some(actions)
    })
}
