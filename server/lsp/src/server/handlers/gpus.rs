//! `warplens/gpus`: the GPUs that the setting `gpu` accepts, for an editor that shows a list of them.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use ide::KnownGpu;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct GpusParams {
    /// A GPU name to check before it becomes a setting.
    named: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct GpusReply {
    gpus: Vec<KnownGpu>,
    /// True if the setting accepts `named` as a GPU; null if `named` is absent.
    is_known: Option<bool>,
}

pub(in crate::server) struct GpusRequest;

impl Task for GpusRequest {
    type Params = GpusParams;
    type Reply = GpusReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let state = session.documents.lock();
        let is_known = params.named.map(|name| state.host.knows_gpu(&name));
        Ok(GpusReply { gpus: state.host.gpus(), is_known })
    }
}
