//! `warplens/topDown`: the top-down tree of the shown launch of a kernel.
//!
//! Parameters: `kernel`, as the profile names it; null for the first kernel. Result: `{kernel, title, tree, svg}`;
//! null if no profile has stall reasons for the kernel. `tree` has the form of `warplens profile --format json`.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::tree::svg;
use ide::profiles::Tree;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct TopDownParams {
    #[serde(default)]
    kernel: Option<String>,
}

#[derive(Debug, Serialize)]
pub(in crate::server) struct TopDownReply {
    kernel: String,
    title: String,
    tree: Tree,
    /// The tree as a picture.
    svg: String,
}

pub(in crate::server) struct TopDownRequest;

impl Task for TopDownRequest {
    type Params = TopDownParams;
    type Reply = Option<TopDownReply>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let profiles = session.documents.lock().host.profiles();
        let first = || Some(profiles.launches().into_iter().next()?.kernel);
        let Some(kernel) = params.kernel.or_else(first) else { return Ok(None) };
        let Some((title, tree)) = profiles.top_down(&kernel) else { return Ok(None) };
        let svg = svg::picture(&title, &tree);
        Ok(Some(TopDownReply { kernel, title, tree, svg }))
    }
}
