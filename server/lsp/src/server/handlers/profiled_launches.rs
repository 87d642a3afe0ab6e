//! `warplens/profiledLaunches`: the launches of all attached profiles; with `choose`, shows another launch.
//!
//! Parameters: `choose`, null or `{kernel, number}`. Result: `{launches}`, each `{kernel, profile, number,
//! isChosen, title}`.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use ide::MeasuredLaunch;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct ProfiledLaunchesParams {
    #[serde(default)]
    choose: Option<Choice>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    /// The kernel, as the profile names it.
    kernel: String,
    number: usize,
}

#[derive(Debug, Serialize)]
pub(in crate::server) struct ProfiledLaunchesReply {
    launches: Vec<MeasuredLaunch>,
}

pub(in crate::server) struct ProfiledLaunchesRequest;

impl Task for ProfiledLaunchesRequest {
    type Params = ProfiledLaunchesParams;
    type Reply = ProfiledLaunchesReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        if let Some(Choice { kernel, number }) = params.choose {
            session.profiles.choose_launch(&kernel, number);
        }
        Ok(ProfiledLaunchesReply { launches: session.documents.lock().host.profiles().launches() })
    }
}
