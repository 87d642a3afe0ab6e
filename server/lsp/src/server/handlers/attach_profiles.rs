//! `warplens/attachProfiles`: shows what profilers wrote at the code that ran.
//!
//! Parameters: `paths`, whole ones; none takes all profiles off. Result: `{profiles, problems, matched}`, the names of all that are
//! attached now, a line for each file that could not be read, and `{uri, measured, kernels}`: how many kernels of the document that was
//! looked at last were measured, of how many. `matched` is absent where that document has no code.

use crate::server::handlers::kind::Task;
use crate::server::profiles::Attached;
use crate::server::session::Session;
use serde::Deserialize;
use std::path::PathBuf;
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct AttachProfilesParams {
    paths: Vec<PathBuf>,
}

pub(in crate::server) struct AttachProfilesRequest;

impl Task for AttachProfilesRequest {
    type Params = AttachProfilesParams;
    type Reply = Attached;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        if params.paths.is_empty() {
            return Ok(session.profiles.detach().await);
        }
        let mut attached = session.profiles.attach(params.paths).await;
        attached.matched = session.profiles.matched().await;
        Ok(attached)
    }
}
