//! `textDocument/diagnostic`: findings for clients that pull them.

use crate::server::documents::diagnostics::all_findings;
use crate::server::documents::work::Outcome;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::job_limits::Urgency;
use std::hash::{DefaultHasher, Hash, Hasher};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    Diagnostic, DiagnosticOptions, DiagnosticServerCapabilities, DocumentDiagnosticParams,
    DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, ServerCapabilities,
    UnchangedDocumentDiagnosticReport, error_codes,
};

pub(in crate::server) fn offer(client: &ClientFeatures, offered: &mut ServerCapabilities) {
    if client.pulls_findings {
        offered.diagnostic_provider = Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("warplens".to_owned()),
            inter_file_dependencies: false,
            workspace_diagnostics: false,
            ..DiagnosticOptions::default()
        }));
    }
}

/// Answers with all findings, or with "unchanged" if they equal the last answer to the client.
pub(in crate::server) struct DiagnosticRequest;

impl Task for DiagnosticRequest {
    type Params = DocumentDiagnosticParams;
    type Reply = DocumentDiagnosticReportResult;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = &params.text_document.uri;
        let (opening, items) = match session.documents.work(uri, Urgency::Request, all_findings).await {
            Outcome::Done((mut found, _)) => {
                let typed = session.documents.typed(uri);
                if let Some(rest) = typed.and_then(|typed| typed.hold(&found.diagnostics)) {
                    tokio::time::sleep(rest).await;
                }
                if !session.documents.complete(&mut found) {
                    return Err(ask_again());
                }
                (found.opening, found.diagnostics)
            }
            Outcome::Nothing => (0, Vec::new()),
            Outcome::Overtaken => return Err(ask_again()),
            Outcome::Panicked => return Err(Error::internal_error()),
        };
        let result_id = name(opening, &items);
        let report = if params.previous_result_id.as_ref() == Some(&result_id) {
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            })
        } else {
            DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(result_id),
                    items,
                },
            })
        };
        Ok(DocumentDiagnosticReportResult::Report(report))
    }
}

/// The error that makes a client repeat the request. VS Code treats "content modified" as an empty list here and
/// would clear its findings.
fn ask_again() -> Error {
    Error {
        code: ErrorCode::ServerError(error_codes::SERVER_CANCELLED),
        message: "the document has changed".into(),
        data: Some(serde_json::json!({ "retriggerRequest": true })),
    }
}

/// A 64-bit identifier of a list of findings in one opening of a document. It depends on the opening, because Neovim
/// forgets the findings when a document is closed but remembers the identifier.
fn name(opening: u64, items: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    opening.hash(&mut hasher);
    serde_json::to_string(items).unwrap_or_default().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
