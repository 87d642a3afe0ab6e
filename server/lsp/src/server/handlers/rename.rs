//! `textDocument/rename`. If renaming is not possible, the response is an error with the reason in one line.

use super::edits::workspace_edit;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use ide::Refusal;
use tower_lsp_server::jsonrpc::{Error, ErrorCode};
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

pub(in crate::server) struct RenameRequest;

impl Snapshot for RenameRequest {
    type Params = RenameParams;
    type Reply = Option<WorkspaceEdit>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let offset = view.places().offset(params.text_document_position.position);
        let renamed = view.analysis.rename(offset, &params.new_name)?;
        match renamed {
            Ok(edits) => Ok(Some(workspace_edit(view, edits))),
            Err(refusal) => Err(NoReply::Refused(error(refusal))),
        }
    }
}

pub(super) fn error(Refusal(why): Refusal) -> Error {
    refused(why)
}

/// The error for a requested operation that is not possible, with the reason in one line.
pub(super) fn refused(why: String) -> Error {
    Error { code: ErrorCode::ServerError(error_codes::REQUEST_FAILED), message: why.into(), data: None }
}
