//! `warplens/compareProfiles`: compares two profiles of the same kernels, before and after a change.
//!
//! Parameters: `before` and `after`, absolute paths; if either is absent, the result only lists the files. Result:
//! `{files, title, text, reason}`. `files` are the paths of the attached profiles. `text` is Markdown; it is null if
//! a path is absent or a profile cannot be read. In the second case, `reason` explains the failure in one line.

use crate::compared::markdown;
use crate::read::name_of;
use crate::server::handlers::kind::Task;
use crate::server::profiles::files::read_file;
use crate::server::session::Session;
use ide::profiles::compare;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct CompareProfilesParams {
    #[serde(default)]
    before: Option<PathBuf>,
    #[serde(default)]
    after: Option<PathBuf>,
}

#[derive(Debug, Default, Serialize)]
pub(in crate::server) struct CompareProfilesReply {
    files: Vec<PathBuf>,
    title: Option<String>,
    text: Option<String>,
    reason: Option<String>,
}

pub(in crate::server) struct CompareProfilesRequest;

impl Task for CompareProfilesRequest {
    type Params = CompareProfilesParams;
    type Reply = CompareProfilesReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let (files, known, thresholds) = {
            let attached = session.profiles.lock();
            let known = |path: &Option<PathBuf>| attached.profile(path.as_deref()?);
            let known = [known(&params.before), known(&params.after)];
            (attached.files(), known, session.documents.lock().host.profiles().thresholds())
        };
        let Some(paths) = params.before.zip(params.after) else {
            return Ok(CompareProfilesReply { files, ..CompareProfilesReply::default() });
        };
        let work = move || {
            let (before, after) = paths;
            let [own_before, own_after] = known;
            let read = |path: &Path, known| match known {
                Some(profile) => Ok(profile),
                None => read_file(path).map(Arc::new).map_err(|why| format!("{}: {why}", path.display())),
            };
            let profiles = (read(&before, own_before)?, read(&after, own_after)?);
            let compared =
                compare(&profiles.0, &profiles.1, None, &thresholds).map_err(|why| why.to_string())?;
            let (before, after) = (name_of(&before), name_of(&after));
            Ok((format!("{before} -> {after}"), markdown(&compared, &before, &after)))
        };
        let compared = spawn_blocking(work).await.unwrap_or_else(|_| Err("the comparison failed".to_owned()));
        let (title, text, reason) = match compared {
            Ok((title, text)) => (Some(title), Some(text), None),
            Err(reason) => (None, None, Some(reason)),
        };
        Ok(CompareProfilesReply { files, title, text, reason })
    }
}
