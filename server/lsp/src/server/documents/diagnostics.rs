//! Pushes findings in phases: syntax at once, then control codes, and all findings when typing pauses.
//! Findings on the line being typed wait until typing stops; until then, findings on other lines stay.

use crate::server::documents::Documents;
use crate::server::documents::work::{Outcome, View};
use crate::server::transport::job_limits::Urgency;
use ide::{Analysis, Cancelled, Severity};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Uri,
};

/// Bounds of the pause in typing after which the model runs; within these bounds, the pause is as long as the
/// last run of the model.
const SHORTEST_PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// Publishes the findings of one document until it is closed. One such task runs from each opening of a document to its
/// closing.
pub(crate) async fn follow(documents: Documents, uri: Uri, opening: u64, mut changed: watch::Receiver<()>) {
    let mut shown = ShownFindings::default();
    let mut model_time = Duration::ZERO;
    loop {
        changed.mark_unchanged();
        let syntax = documents.work(&uri, Urgency::Background, syntax_findings).await;
        if let Outcome::Done(found) = syntax
            && found.opening == opening
            && documents.typed(&uri).is_none_or(|typed| typed.left().is_none())
            && shown.may_show()
        {
            shown = ShownFindings { syntax: summary(&found.diagnostics), ..ShownFindings::default() };
            documents.publish(found);
        }
        let quick = documents.work(&uri, Urgency::Background, quick_findings).await;
        if let Outcome::Done((found, syntax_count)) = quick
            && found.opening == opening
        {
            let typed = documents.typed(&uri);
            if let Some(rest) = typed.and_then(|typed| typed.hold(&found.diagnostics)) {
                tokio::select! {
                    change = changed.changed() => {
                        if change.is_err() {
                            return;
                        }
                        continue;
                    }
                    () = tokio::time::sleep(rest) => {}
                }
            }
            let (syntax, codes) = found.diagnostics.split_at(syntax_count);
            let (syntax, codes) = (summary(syntax), summary(codes));
            // The findings of a quick model follow soon. A list without them would make findings flicker.
            let is_soon = shown.model && model_time < LONGEST_PAUSE;
            if !is_soon && (shown.codes != codes || shown.syntax != syntax) {
                shown = ShownFindings { syntax, codes, model: false };
                documents.publish(found);
            }
        }
        tokio::select! {
            change = changed.changed() => {
                if change.is_err() {
                    return;
                }
                continue;
            }
            () = tokio::time::sleep(model_time.clamp(SHORTEST_PAUSE, LONGEST_PAUSE)) => {}
        }
        let start = Instant::now();
        let all = documents.work(&uri, Urgency::Background, all_findings).await;
        if let Outcome::Done((found, syntax_count)) = all
            && found.opening == opening
        {
            model_time = start.elapsed();
            let (syntax, model) = found.diagnostics.split_at(syntax_count);
            shown = ShownFindings { syntax: summary(syntax), model: !model.is_empty(), ..shown };
            documents.publish(found);
        }
        // The preparation runs while the document does not change; an edit stops the preparation.
        documents.work(&uri, Urgency::Background, |view| view.analysis.prepare()).await;
        if changed.changed().await.is_err() {
            return;
        }
    }
}

/// The findings of one version of one document.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) uri: Uri,
    pub(crate) opening: u64,
    pub(crate) version: i32,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The findings that the client currently shows for a document, by the phase that produced them.
#[derive(Debug, Default)]
struct ShownFindings {
    syntax: Vec<(Option<NumberOrString>, String)>,
    /// Code and message of each finding about control codes, as last computed.
    codes: Vec<(Option<NumberOrString>, String)>,
    /// True if findings of the model are shown.
    model: bool,
}

impl ShownFindings {
    /// True if the findings of the first phase, syntax, may be sent alone. If findings of a later phase are shown,
    /// sending only syntax findings would make them disappear and reappear. Nothing is lost by waiting: later phases
    /// repeat the syntax findings, and the editor itself moves findings along with edits.
    const fn may_show(&self) -> bool {
        !self.model && self.codes.is_empty()
    }
}

fn summary(diagnostics: &[Diagnostic]) -> Vec<(Option<NumberOrString>, String)> {
    diagnostics.iter().map(|found| (found.code.clone(), found.message.clone())).collect()
}

fn syntax_findings(view: &View) -> Result<Findings, Cancelled> {
    let found = view.analysis.syntax_diagnostics()?;
    Ok(findings(view, &found))
}

/// Findings about syntax and control codes, and the number of syntax findings, which are first in the list.
fn quick_findings(view: &View) -> Result<(Findings, usize), Cancelled> {
    with_syntax(view, Analysis::code_diagnostics)
}

/// All findings, and the number of syntax findings, which are first in the list.
pub(crate) fn all_findings(view: &View) -> Result<(Findings, usize), Cancelled> {
    with_syntax(view, Analysis::model_diagnostics)
}

fn with_syntax(
    view: &View,
    others: fn(&Analysis) -> Result<Vec<ide::Diagnostic>, Cancelled>,
) -> Result<(Findings, usize), Cancelled> {
    let mut found = view.analysis.syntax_diagnostics()?;
    let syntax_count = found.len();
    found.extend(others(&view.analysis)?);
    Ok((findings(view, &found), syntax_count))
}

fn findings(view: &View, found: &[ide::Diagnostic]) -> Findings {
    let mut places = view.places();
    let related = |places: &mut crate::server::transport::position::PositionConverter<'_>,
                   related: &[ide::Related]| {
        related
            .iter()
            .map(|other| DiagnosticRelatedInformation {
                location: Location { uri: view.uri.clone(), range: places.range(&other.range) },
                message: other.message.clone(),
            })
            .collect()
    };
    let diagnostics = found
        .iter()
        .map(|found| Diagnostic {
            range: places.range(&found.range),
            severity: Some(severity(found.severity)),
            code: Some(NumberOrString::String(found.code.to_owned())),
            code_description: view.features.rule_links.then(|| rule_page(found.code)).flatten(),
            source: Some("warplens".to_owned()),
            message: found.message.clone(),
            related_information: (view.features.related_information && !found.related.is_empty())
                .then(|| related(&mut places, &found.related)),
            ..Diagnostic::default()
        })
        .collect();
    Findings { uri: view.uri.clone(), opening: view.opening, version: view.version, diagnostics }
}

/// Address of a rule's page. When the user follows the address, the client requests the page with
/// `warplens/rulePage`. `None` for a code that has no page.
fn rule_page(code: &str) -> Option<CodeDescription> {
    ide::reader_page(code)?;
    Some(CodeDescription { href: format!("warplens-rule:/{code}.md").parse().ok()? })
}

pub(crate) const fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}
