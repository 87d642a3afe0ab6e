//! `textDocument/codeAction`: quick fixes for the findings that the client shows at a place, and new control codes for the
//! instruction there.

use super::edits::{described_edit, workspace_edit};
use crate::server::abilities::Abilities;
use crate::server::session::Session;
use crate::server::work::View;
use ide::{AdviceEdit, Cancelled, Followed, Language, ScheduleScope, TextEdit};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeActionTriggerKind, Command, Diagnostic, NumberOrString, Range,
    ServerCapabilities, Uri,
};

/// An action whose edit is computed when the client asks for it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Unresolved {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) offset: usize,
    pub(super) scope: ScheduleScope,
}

/// The command of clients that saves the document and asks for `warplens/followAdvice`.
const FOLLOW_ADVICE: &str = "warplens.followAdvice";

/// An action, and its edits where they are known by now.
type Rewrite = (CodeActionOrCommand, Option<Vec<TextEdit>>);

/// Title, explanation and edit of an action.
type Offered = (String, String, AdviceEdit);

/// A client that takes commands alone gets nothing.
pub(in crate::server) fn offer(client: &Abilities, offered: &mut ServerCapabilities) {
    if client.code_actions {
        offered.code_action_provider = Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE]),
            resolve_provider: Some(client.resolves_actions),
            ..CodeActionOptions::default()
        }));
    }
}

/// Clients ask at every move of the cursor: the findings come with the question, and new codes are computed when one of
/// them is chosen.
pub(in crate::server) async fn handle(
    session: &Session,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    let only = params.context.only;
    let wants_fixes = wants(only.as_deref(), &CodeActionKind::QUICKFIX);
    let wants_codes = wants(only.as_deref(), &CodeActionKind::REFACTOR_REWRITE);
    if !wants_fixes && !wants_codes {
        return Ok(None);
    }
    let is_asked = params.context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC);
    let asked = session.clone();
    let uri = params.text_document.uri.clone();
    let answer = session.answer(&params.text_document.uri, move |view| {
        let mut places = view.places();
        let (mut actions, mut edited) = (Vec::new(), Vec::new());
        let findings = if wants_fixes { params.context.diagnostics.clone() } else { Vec::new() };
        for finding in findings {
            let Some(rule) = rule(&finding) else { continue };
            let place = places.bytes(finding.range);
            let quick_fix = |title, edit, preferred: bool| {
                CodeActionOrCommand::CodeAction(CodeAction {
                    title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![finding.clone()]),
                    edit: Some(edit),
                    is_preferred: preferred.then_some(true),
                    ..CodeAction::default()
                })
            };
            let stated = view.analysis.trips_to_state(rule, place.start)?;
            if let Some(edit) = stated.and_then(|stated| asked.trips_edit(&view.uri, &stated)) {
                let title = "State how often the loop runs in warplens.toml".to_owned();
                actions.push(quick_fix(title, edit, true));
            }
            if let Some(followed) = view.analysis.measured_fixes(rule, place.clone())? {
                for fix in followed.fixes.clone() {
                    edited.push((actions.len(), fix.edits.clone()));
                    let CodeActionOrCommand::CodeAction(action) =
                        quick_fix(fix.title, workspace_edit(view, fix.edits), fix.preferred)
                    else {
                        continue;
                    };
                    let command = follow(view, &followed, rule);
                    actions.push(CodeActionOrCommand::CodeAction(CodeAction { command, ..action }));
                }
                // Advice is followed by hand, too.
                actions.extend(follow(view, &followed, rule).map(|command| {
                    CodeActionOrCommand::CodeAction(CodeAction {
                        title: command.title.clone(),
                        kind: Some(CodeActionKind::QUICKFIX),
                        diagnostics: Some(vec![finding.clone()]),
                        command: Some(command),
                        ..CodeAction::default()
                    })
                }));
            }
            for fix in view.analysis.fixes(rule, place)? {
                // Comments change no code.
                if !fix.edits.iter().all(|edit| edit.text.trim_start().starts_with("//")) {
                    edited.push((actions.len(), fix.edits.clone()));
                }
                actions.push(quick_fix(fix.title, workspace_edit(view, fix.edits), fix.preferred));
            }
        }
        if wants_codes {
            for (action, edits) in rewrites(view, params.range, is_asked)? {
                edited.extend(edits.map(|edits| (actions.len(), edits)));
                actions.push(action);
            }
        }
        let is_compiled =
            !edited.is_empty() && view.analysis.language() == Language::Cuda && view.analysis.has_its_code();
        Ok((actions, if is_compiled { edited } else { Vec::new() }, view.analysis.clone()))
    });
    let Some((mut actions, edited, analysis)) = answer.await? else { return Ok(None) };
    let (numbers, edits): (Vec<usize>, Vec<_>) = edited.into_iter().unzip();
    let gains = session.gains(&uri, &analysis, edits, is_asked).await;
    for (number, gain) in numbers.into_iter().zip(gains) {
        if let (CodeActionOrCommand::CodeAction(action), Some(gain)) = (&mut actions[number], gain) {
            action.title = format!("{} [compiled: {gain}]", action.title);
        }
    }
    Ok(Some(actions).filter(|actions| !actions.is_empty()))
}

/// The command that runs the program of `[run]` once an advice has been followed; `None` where there is no such program.
fn follow(view: &View, followed: &Followed, advice: &str) -> Option<Command> {
    view.analysis.runs().then(|| Command {
        title: "Run again, and compare with the claim".to_owned(),
        command: FOLLOW_ADVICE.to_owned(),
        arguments: Some(vec![json!({
            "uri": view.uri,
            "kernel": followed.kernel,
            "advice": advice,
            "claimed": followed.claimed,
        })]),
    })
}

/// The paper's steps whose edit is certain at the instruction where a range starts, and new codes for it; with the edits that are
/// known by now.
fn rewrites(view: &View, range: Range, is_asked: bool) -> std::result::Result<Vec<Rewrite>, Cancelled> {
    let offset = view.places().offset(range.start);
    let steps = view.analysis.advice_actions(offset, is_asked)?.into_iter();
    let mut offered: Vec<Offered> = steps.map(|step| (step.title, step.explanation, step.edit)).collect();
    // A client that does not ask for an action's edit later gets it now, but not at each move of the cursor.
    if view.abilities.resolves_actions || is_asked {
        let codes = view.analysis.schedule_actions(offset, is_asked)?.into_iter();
        offered.extend(codes.map(|codes| (codes.title, String::new(), AdviceEdit::Codes(codes.scope))));
    }
    let action = |(title, explanation, edit): Offered| {
        let edits = match &edit {
            AdviceEdit::Ready(edits) => Some(edits.clone()),
            AdviceEdit::Codes(_) => None,
        };
        Some(rewrite(view, offset, title, &explanation, edit).transpose()?.map(|action| (action, edits)))
    };
    offered.into_iter().filter_map(action).collect()
}

/// One action that writes code; `None` where its codes cannot be written.
fn rewrite(
    view: &View,
    offset: usize,
    title: String,
    explanation: &str,
    edit: AdviceEdit,
) -> std::result::Result<Option<CodeActionOrCommand>, Cancelled> {
    let mut action =
        CodeAction { title, kind: Some(CodeActionKind::REFACTOR_REWRITE), ..CodeAction::default() };
    match edit {
        AdviceEdit::Ready(edits) => {
            action.edit = Some(described_edit(view, edits, &action.title, explanation));
        }
        AdviceEdit::Codes(scope) if view.abilities.resolves_actions => {
            let unresolved = Unresolved { uri: view.uri.clone(), version: view.version, offset, scope };
            action.data = serde_json::to_value(unresolved).ok();
        }
        AdviceEdit::Codes(scope) => match view.analysis.schedule_edits(offset, scope)? {
            Some(Ok(edits)) => action.edit = Some(workspace_edit(view, edits)),
            _ => return Ok(None),
        },
    }
    Ok(Some(CodeActionOrCommand::CodeAction(action)))
}

/// A kind that is asked for stands for all below it.
fn wants(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let stands_for = |asked: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(asked.as_str());
        asked.as_str().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(stands_for))
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
