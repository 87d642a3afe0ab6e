//! `textDocument/codeAction`: quick fixes for the findings that the client shows in a range, and new control
//! codes for the instruction at the start of the range.

mod launch_file;
mod quick_fixes;
mod rewrites;
mod tuned;

use crate::server::code::gains::gains;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use ide::{Language, ScheduleScope, TextEdit};
use launch_file::launch_file_fixes;
use quick_fixes::{launch_to_state, quick_fixes};
use rewrites::rewrites;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeActionTriggerKind, ServerCapabilities, Uri,
};
use tuned::tuned;

/// An action whose edit is computed when the client requests it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnresolvedAction {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) offset: usize,
    pub(super) scope: ScheduleScope,
}

/// An action, with its edits if they are already known.
type Offered = (CodeAction, Option<Vec<TextEdit>>);

/// Offers code actions, except to a client that accepts only commands.
pub(in crate::server) fn offer(client: &ClientFeatures, offered: &mut ServerCapabilities) {
    if client.code_actions {
        offered.code_action_provider = Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE]),
            resolve_provider: Some(client.resolves_actions),
            ..CodeActionOptions::default()
        }));
    }
}

/// Clients send this request at every move of the cursor, so the findings are taken from the request's parameters,
/// and new control codes are computed only when an action is chosen.
pub(in crate::server) struct CodeActionRequest;

impl Task for CodeActionRequest {
    type Params = CodeActionParams;
    type Reply = Option<Vec<CodeActionOrCommand>>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let only = params.context.only;
        let wants_fixes = wants(only.as_deref(), &CodeActionKind::QUICKFIX);
        let wants_codes = wants(only.as_deref(), &CodeActionKind::REFACTOR_REWRITE);
        if !wants_fixes && !wants_codes {
            return Ok(None);
        }
        if let Some(answer) =
            launch_file_fixes(session, &params.text_document.uri, params.range, &params.context.diagnostics)
        {
            return answer.await;
        }
        let is_asked = params.context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC);
        let asked = session.clone();
        let uri = params.text_document.uri.clone();
        let answer = session.documents.answer(&params.text_document.uri, move |view| {
            let mut offered = Vec::new();
            if wants_fixes {
                for finding in &params.context.diagnostics {
                    offered.extend(quick_fixes(&asked, view, finding, is_asked)?);
                }
                offered.extend(launch_to_state(&asked, view, params.range)?);
            }
            if wants_codes {
                offered.extend(rewrites(view, params.range, is_asked)?);
                // The gains of these actions are already known.
                offered.extend(tuned(&asked, view, params.range)?.into_iter().map(|action| (action, None)));
            }
            let is_compiled = view.analysis.language() == Language::Cuda && view.analysis.has_its_code();
            Ok((offered, is_compiled, view.analysis.clone()))
        });
        let Some((mut offered, is_compiled, analysis)) = answer.await? else { return Ok(None) };
        if is_compiled {
            let edited = offered.iter_mut().filter_map(|(action, edits)| Some((action, edits.take()?)));
            let (actions, edits): (Vec<_>, Vec<_>) = edited.unzip();
            let gains = gains(&session.code, &uri, &analysis, edits, is_asked).await;
            for (action, gain) in actions.into_iter().zip(gains) {
                if let Some(gain) = gain {
                    action.title = format!("{} [compiled: {gain}]", action.title);
                }
            }
        }
        let actions = offered.into_iter().map(|(action, _)| CodeActionOrCommand::CodeAction(action));
        Ok(Some(actions.collect()).filter(|actions: &Vec<_>| !actions.is_empty()))
    }
}

/// True if a kind was requested; a requested kind includes all its subkinds.
fn wants(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let stands_for = |asked: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(asked.as_str());
        asked.as_str().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(stands_for))
}
