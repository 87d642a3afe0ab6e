//! `warplens/openBinary`: the text that an editor shows for a cubin.
//!
//! Parameters: `uri`, of a file. Result: `text`, a listing with one line per instruction; `languageId`;
//! `resources` that the file states for each kernel; and `reason`. `reason` is null for a listing; otherwise
//! the text has only comments with those resources, and `reason` explains why. A disassembler runs only if
//! the client has sent `trusted: true` in its `initializationOptions`. A document that is opened under the
//! same URI gets the resources that the file states.

use super::rename::refused;
use crate::read::{BINARY_BYTES, BoundedFile, ReadError, name_of};
use crate::server::code::dense_listing::DenseListing;
use crate::server::code::kernels_text;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::tickets::WorkKey;
use crate::server::transport::uris::file_path;
use ide::Cancel;
use ide::binary::{self, ConstantBank, Content, Cubin, CubinError, CubinFunction, Param};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use tokio::task::spawn_blocking;
use toolchain::{Consent, Disassembler, Limits, Search, ToolError};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::Uri;

/// Language identifier of listings in all our clients.
const LANGUAGE: &str = "nvsass";

#[derive(Debug, Deserialize)]
pub(in crate::server) struct OpenBinaryParams {
    uri: Uri,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct OpenBinaryReply {
    text: String,
    language_id: &'static str,
    resources: Vec<Value>,
    reason: Option<String>,
}

pub(in crate::server) struct OpenBinaryRequest;

impl Task for OpenBinaryRequest {
    type Params = OpenBinaryParams;
    type Reply = OpenBinaryReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let OpenBinaryParams { uri } = params;
        let Some(path) = file_path(&uri) else {
            return Err(Error::invalid_params(format!("{}: expected the URI of a file", uri.as_str())));
        };
        let tools = &session.connection.facts().tools;
        let consent = Consent::by_trusted_workspace(tools.trusted);
        let search = Search::from_environment(tools.disassembler.clone());
        let tickets = session.connection.tickets();
        let work = tickets.begin_instead(WorkKey::Tools(uri.clone()), Cancel::default());
        let cancel = work.cancel();
        // Dropping this value ends the progress display.
        let reported = session.connection.follow_work(&uri, "reading");
        let done = spawn_blocking(move || open(&path, consent, &search, &cancel)).await;
        drop(reported);
        let (cubin, opened) = done.map_err(|_| Error::internal_error())??;
        let mut state = session.documents.lock();
        state.host.set_binary(uri.as_str(), &cubin);
        let is_open = state.by_uri.contains_key(&uri);
        drop(state);
        drop(work);
        // A client of a restarted server opens the listing before it sends this request.
        if is_open {
            session.documents.recheck();
            session.documents.refresh(StaleDisplay::ALL);
        }
        Ok(opened)
    }
}

fn open(
    path: &Path,
    consent: Option<Consent>,
    search: &Search,
    cancel: &Cancel,
) -> Result<(Cubin, OpenBinaryReply)> {
    let name = name_of(path);
    let failed = |why: String| refused(format!("{name}: {why}"));
    let bytes = match read(path, cancel) {
        Err(ReadError::Stopped) => return Err(Error::request_cancelled()),
        read => read.map_err(|error| failed(error.to_string()))?,
    };
    let broken = |error: CubinError| failed(error.to_string());
    if matches!(binary::content(&bytes), Content::Host | Content::FatBinary) {
        let members = binary::members(&bytes).map_err(broken)?;
        return Err(failed(format!("expected a cubin; {}", binary::describe_members(&members))));
    }
    let cubin = Cubin::parse(&bytes).map_err(broken)?;
    let listing = match consent {
        None => Err("the workspace is not trusted, so no disassembler runs".to_owned()),
        Some(consent) => {
            let lines = binary::has_source_lines(&bytes);
            let listing = Disassembler::find(search).and_then(|tool| {
                tool.listing(consent, &bytes, lines, Limits::in_editor(), &|| cancel.is_cancelled())
            });
            if let Err(ToolError::Cancelled { .. }) = listing {
                return Err(Error::request_cancelled());
            }
            listing.map_err(|error| error.to_string())
        }
    };
    let resources = cubin.kernels().map(resources).collect();
    let (text, reason) = match listing {
        Ok(text) => (DenseListing::new(&text).text, None),
        Err(reason) => (kernels_text::comments(&name, &cubin, &reason), Some(reason)),
    };
    let opened = OpenBinaryReply { text, language_id: LANGUAGE, resources, reason };
    Ok((cubin, opened))
}

/// Reads a file. Reads only the start of a file without GPU code.
fn read(path: &Path, cancel: &Cancel) -> std::result::Result<Vec<u8>, ReadError> {
    let mut file = BoundedFile::regular(path, BINARY_BYTES)?;
    let head = file.head()?;
    if binary::content(head) == Content::Other {
        Ok(head.to_vec())
    } else {
        file.all(&|| cancel.is_cancelled())
    }
}

/// Resources of a kernel, sizes in bytes: shared memory and barriers per block, all other resources per
/// thread.
fn resources(kernel: &CubinFunction) -> Value {
    let bank = |constant: &ConstantBank| json!({ "bank": constant.bank, "bytes": constant.bytes });
    let parameter = |param: &Param| {
        let Param { ordinal, offset, bytes } = param;
        json!({ "ordinal": ordinal, "offset": offset, "bytes": bytes })
    };
    json!({
        "name": kernel.name,
        "code": kernel.code_bytes,
        "registers": kernel.registers,
        // Includes memory reserved by the system, if the file counts it.
        "shared": kernel.shared_bytes,
        "local": kernel.local_bytes,
        "stack": kernel.stack_bytes,
        "barriers": kernel.barriers,
        "constants": kernel.constants.iter().map(bank).collect::<Vec<_>>(),
        "params": kernel.params.iter().map(parameter).collect::<Vec<_>>(),
        "maxThreads": kernel.max_threads,
        "requiredThreads": kernel.required_threads,
    })
}
