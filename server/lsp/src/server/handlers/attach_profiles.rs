//! `warplens/attachProfiles`: attaches profiles and shows their figures at the code that ran.
//!
//! Parameters: `paths`, a list of absolute paths; an empty list detaches all profiles. Result: `{profiles,
//! problems, matched}`. `profiles` has the names of the profiles attached afterwards, `problems` one line for
//! each file that could not be read. `matched` is `{uri, measured, kernels}` for the document that was viewed
//! last: the number of measured kernels and of all kernels. `matched` is absent if that document has no code.

use crate::server::handlers::kind::Task;
use crate::server::profiles::AttachedProfiles;
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
    type Reply = AttachedProfiles;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        if params.paths.is_empty() {
            return Ok(session.profiles.detach().await);
        }
        let mut attached = session.profiles.attach(params.paths).await;
        attached.matched = session.profiles.matched().await;
        Ok(attached)
    }
}
