//! Answers requests about a `warplens.toml` that an editor has open, from its unsaved text.

use crate::read::LAUNCH_FILE_BYTES;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::position::PositionConverter;
use crate::server::workspace::Workspace;
use ide::LaunchFileView;
use ropey::Rope;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result as Answer};
use tower_lsp_server::ls_types::Uri;

/// A launches file at one version, as a job sees it.
#[derive(Debug)]
pub(crate) struct LaunchText {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) view: LaunchFileView,
    pub(crate) features: ClientFeatures,
    text: Rope,
}

impl LaunchText {
    pub(crate) fn places(&self) -> PositionConverter<'_> {
        PositionConverter::new(&self.text, self.features.encoding)
    }
}

/// Answers a request about a launches file that an editor has open; `None` for any other document. A file that is too
/// large gets an empty answer.
pub(crate) fn answer<T, F>(
    workspace: &Workspace,
    uri: &Uri,
    job: F,
) -> Option<impl Future<Output = Answer<T>> + Send + use<T, F>>
where
    T: Default + Send + 'static,
    F: FnOnce(&LaunchText) -> T + Send + 'static,
{
    launch_version(workspace, uri)?;
    let file = launch_text(workspace, uri);
    let workspace = workspace.clone();
    Some(async move {
        let Some(file) = file else { return Ok(T::default()) };
        let (uri, version) = (file.uri.clone(), file.version);
        let done = tokio::task::spawn_blocking(move || job(&file)).await;
        if launch_version(&workspace, &uri) != Some(version) {
            return Err(Error::new(ErrorCode::ContentModified));
        }
        done.map_err(|_| Error::internal_error())
    })
}

/// The current text of the file; `None` if the file is too large.
fn launch_text(workspace: &Workspace, uri: &Uri) -> Option<LaunchText> {
    let mut state = workspace.lock();
    let open = state.open_root(uri)?.open.as_ref()?;
    if open.text.len_bytes() as u64 > LAUNCH_FILE_BYTES {
        return None;
    }
    let (version, text) = (open.version, open.text.clone());
    let view = workspace.documents.lock().host.launch_file_view(&text.to_string());
    Some(LaunchText {
        uri: uri.clone(),
        version,
        view,
        features: workspace.documents.connection.features().clone(),
        text,
    })
}

fn launch_version(workspace: &Workspace, uri: &Uri) -> Option<i32> {
    let mut state = workspace.lock();
    state.open_root(uri)?.open.as_ref().map(|open| open.version)
}
