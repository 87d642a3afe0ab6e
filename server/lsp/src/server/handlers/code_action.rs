//! `textDocument/codeAction`: quick fixes for the findings that the client shows at a place.

use super::edits::workspace_edit;
use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, Diagnostic, NumberOrString, ServerCapabilities,
};

/// A client that takes commands alone gets nothing.
pub(in crate::server) fn offer(client: &Abilities, offered: &mut ServerCapabilities) {
    if client.code_actions {
        offered.code_action_provider = Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        }));
    }
}

/// Clients ask at every move of the cursor: the findings come with the question, so nothing is computed for it.
pub(in crate::server) async fn handle(
    session: &Session,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    if !wants_quick_fixes(params.context.only.as_deref()) {
        return Ok(None);
    }
    let asked = session.clone();
    let answer = session.answer(&params.text_document.uri, move |view| {
        let mut places = view.places();
        let mut actions = Vec::new();
        for finding in params.context.diagnostics {
            let Some(rule) = rule(&finding) else { continue };
            let place = places.bytes(finding.range);
            let stated = view.analysis.trips_to_state(rule, place.start)?;
            if let Some(edit) = stated.and_then(|stated| asked.trips_edit(&view.uri, &stated)) {
                actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                    title: "State how often the loop runs in warplens.toml".to_owned(),
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![finding.clone()]),
                    edit: Some(edit),
                    is_preferred: Some(true),
                    ..CodeAction::default()
                }));
            }
            for fix in view.analysis.fixes(rule, place)? {
                actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                    title: fix.title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![finding.clone()]),
                    edit: Some(workspace_edit(view, fix.edits)),
                    is_preferred: fix.preferred.then_some(true),
                    ..CodeAction::default()
                }));
            }
        }
        Ok(actions)
    });
    Ok(answer.await?.filter(|actions| !actions.is_empty()))
}

/// A kind that is asked for stands for all below it.
fn wants_quick_fixes(only: Option<&[CodeActionKind]>) -> bool {
    only.is_none_or(|only| only.iter().any(|kind| matches!(kind.as_str(), "" | "quickfix")))
}

/// The code of a finding of ours.
fn rule(finding: &Diagnostic) -> Option<&str> {
    if finding.source.as_deref() != Some("warplens") {
        return None;
    }
    match finding.code.as_ref()? {
        NumberOrString::String(code) => Some(code),
        NumberOrString::Number(_) => None,
    }
}
