//! Quick fixes for the findings that the client shows.

use super::Offered;
use super::rewrites::recompute;
use crate::server::documents::work::View;
use crate::server::handlers::edits::workspace_edit;
use crate::server::handlers::execute_command::SHOW_PLACE;
use crate::server::handlers::fill_in::first_to_fill_in;
use crate::server::session::Session;
use ide::{AdviceFixes, Cancelled, Fix};
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, NumberOrString, Range, WorkspaceEdit,
};

/// The client command that saves the document and requests `warplens/followAdvice`.
const FOLLOW_ADVICE: &str = "warplens.followAdvice";
/// The client command that shows the page of a rule or of a guide.
const EXPLAIN_RULE: &str = "warplens.explainRule";

/// The fixes for a finding, suppressions last; empty for another server's finding.
pub(super) fn quick_fixes(
    session: &Session,
    view: &View,
    finding: &Diagnostic,
    is_asked: bool,
) -> Result<Vec<Offered>, Cancelled> {
    let Some(rule) = rule(finding) else { return Ok(Vec::new()) };
    let place = view.places().bytes(finding.range);
    let of_fix = |fix: Fix| {
        let action = quick_fix(finding, fix.title, workspace_edit(view, fix.edits.clone()), fix.preferred);
        (action, Some(fix.edits))
    };
    let mut offered = Vec::new();
    let stated = view.analysis.trips_to_state(rule, place.start)?;
    let edit = stated.and_then(|stated| session.workspace.stating_edit(&view.uri, |text| stated.edits(text)));
    offered.extend(edit.map(|edit| {
        let title = "Add the loop's trip count to warplens.toml".to_owned();
        (quick_fix(finding, title, edit, true), None)
    }));
    if let Some(followed) = view.analysis.measured_fixes(rule, place.clone())? {
        let command = follow(view, &followed, rule);
        offered.extend(
            followed
                .fixes
                .into_iter()
                .map(of_fix)
                .map(|(action, edits)| (CodeAction { command: command.clone(), ..action }, edits)),
        );
        // Advice without a command can still be followed by hand.
        offered.extend(command.map(|command| run_command(finding, command)));
    }
    let (suppressions, fixes): (Vec<_>, Vec<_>) =
        view.analysis.fixes(rule, place.clone())?.into_iter().partition(|fix| fix.suppresses);
    offered.extend(fixes.into_iter().map(of_fix));
    if view.analysis.is_of_control_codes(rule) {
        offered.extend(recompute(view, place.start, finding, is_asked)?);
    }
    // The first action for a finding must not suppress the finding.
    let is_advice = view.analysis.is_advice(rule);
    if view.features.explains_rules && (is_advice || offered.is_empty()) {
        offered.extend(explain(finding, rule, is_advice));
    }
    offered.extend(suppressions.into_iter().map(of_fix).map(|(action, _)| (action, None)));
    Ok(offered)
}

/// The action that shows the page of a finding's rule, or the guide on how to follow a piece of advice;
/// `None` if the rule has no page.
fn explain(finding: &Diagnostic, code: &str, is_advice: bool) -> Option<Offered> {
    ide::reader_page(code)?;
    let title =
        if is_advice { format!("How to follow this advice (`{code}`)") } else { format!("Explain `{code}`") };
    let command = Command { title, command: EXPLAIN_RULE.to_owned(), arguments: Some(vec![json!(code)]) };
    Some(run_command(finding, command))
}

/// The action that runs a command, under the command's title.
fn run_command(finding: &Diagnostic, command: Command) -> Offered {
    let action = CodeAction {
        title: command.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![finding.clone()]),
        command: Some(command),
        ..CodeAction::default()
    };
    (action, None)
}

/// The action that adds a launch of a kernel to `warplens.toml`, if a range starts at the kernel's name. `None` for any
/// other range.
pub(super) fn launch_to_state(
    session: &Session,
    view: &View,
    range: Range,
) -> Result<Option<Offered>, Cancelled> {
    let offset = view.places().offset(range.start);
    let stated = view.analysis.launch_to_state(offset)?;
    let edit = stated.and_then(|stated| session.workspace.stating_edit(&view.uri, |text| stated.edits(text)));
    Ok(edit.map(|edit| {
        let first = session.connection.features().shows_documents.then(|| first_to_fill_in(&edit)).flatten();
        let command = first.map(|place| Command {
            title: "Show the launch to fill in".to_owned(),
            command: SHOW_PLACE.to_owned(),
            arguments: Some(vec![json!(place)]),
        });
        let action = CodeAction {
            title: "Add a launch of this kernel to warplens.toml".to_owned(),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(edit),
            command,
            ..CodeAction::default()
        };
        (action, None)
    }))
}

fn quick_fix(finding: &Diagnostic, title: String, edit: WorkspaceEdit, preferred: bool) -> CodeAction {
    CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![finding.clone()]),
        edit: Some(edit),
        is_preferred: preferred.then_some(true),
        ..CodeAction::default()
    }
}

/// The command that runs the program of `[run]` once advice has been followed; `None` if there is no such program.
fn follow(view: &View, followed: &AdviceFixes, advice: &str) -> Option<Command> {
    view.analysis.runs().then(|| Command {
        title: "Run the program again and compare with the predicted gain".to_owned(),
        command: FOLLOW_ADVICE.to_owned(),
        arguments: Some(vec![json!({
            "uri": view.uri,
            "kernel": followed.kernel,
            "advice": advice,
            "claimed": followed.claimed,
        })]),
    })
}

/// Returns the rule code of a warplens finding; `None` for another server's finding.
fn rule(finding: &Diagnostic) -> Option<&str> {
    if finding.source.as_deref() != Some("warplens") {
        return None;
    }
    match finding.code.as_ref()? {
        NumberOrString::String(code) => Some(code),
        NumberOrString::Number(_) => None,
    }
}
