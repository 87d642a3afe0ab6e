//! `warplens/attachProfiles`: shows what profilers wrote at the code that ran.
//!
//! Parameters: `paths`, whole ones; none takes all profiles off. Result: `{profiles, problems}`, the names of all that are attached
//! now, and a line for each file that could not be read.

use crate::server::profiles::Attached;
use crate::server::session::Session;
use serde::Deserialize;
use std::path::PathBuf;
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct Params {
    paths: Vec<PathBuf>,
}

pub(in crate::server) async fn handle(session: &Session, params: Params) -> Result<Attached> {
    if params.paths.is_empty() {
        return Ok(session.detach_profiles().await);
    }
    Ok(session.attach_profiles(params.paths).await)
}
