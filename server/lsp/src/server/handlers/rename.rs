//! `textDocument/rename`. What cannot be renamed is an error with one line that says why: the user asked for it.

use super::edits::workspace_edit;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use ide::Refusal;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    OneOf, RenameOptions, RenameParams, ServerCapabilities, WorkDoneProgressOptions, WorkspaceEdit,
    error_codes,
};

pub(in crate::server) fn offer(client: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.rename_provider = Some(if client.prepares_renames {
        OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })
    } else {
        OneOf::Left(true)
    });
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>> {
    let answer = session.documents.answer_at(params.text_document_position, move |view, _, offset| {
        let renamed = view.analysis.rename(offset, &params.new_name)?;
        Ok(Some(renamed.map(|edits| workspace_edit(view, edits))))
    });
    answer.await?.transpose().map_err(error)
}

pub(super) fn error(Refusal(why): Refusal) -> Error {
    refused(why)
}

/// The answer to what was asked for and can not be done.
pub(super) fn refused(why: String) -> Error {
    Error { code: ErrorCode::ServerError(error_codes::REQUEST_FAILED), message: why.into(), data: None }
}
