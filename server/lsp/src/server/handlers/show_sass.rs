//! `warplens/showSass`: the SASS of a PTX or CUDA document, which is compiled, or of a source that a cubin names.
//!
//! Parameters: `textDocument`, an open document whose unsaved text is compiled, and `listing`, the URI under which
//! the client opens the result. Result: `text` with its `languageId`, or null; `reason`, one line that explains a
//! missing listing, or null; `remedy`, what the user can do about it; `lines`, pairs of a line of the listing and its
//! source line in the document; `functions`, each with its lines in both texts. The result is for `version` of the
//! document. Messages of ptxas about the text are then added to the document's findings. Editing or closing the
//! document, or another request for the document, stops the tools and cancels the request. Programs run only if the
//! client has sent `trusted: true` in its `initializationOptions`.

use crate::build::NoCode;
use crate::server::code::sass_run::{ListingReply, ListingResult, Remedy, Run};
use crate::server::documents::{Documents, OpenDocuments};
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::tickets::WorkKey;
use crate::server::transport::uris::file_name;
use crate::server::workspace::Folders;
use ide::{Cancel, Language};
use serde::Deserialize;
use tokio::task::spawn_blocking;
use toolchain::Consent;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{TextDocumentIdentifier, Uri};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct ShowSassParams {
    text_document: TextDocumentIdentifier,
    listing: Uri,
}

pub(in crate::server) struct ShowSassRequest;

impl Task for ShowSassRequest {
    type Params = ShowSassParams;
    type Reply = ListingReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let ShowSassParams { text_document: TextDocumentIdentifier { uri }, listing } = params;
        let language = session.documents.lock().host.language(uri.as_str());
        if matches!(language, Some(Language::Cuda | Language::Source(_))) {
            return of_source(session, uri, listing).await;
        }
        let tickets = session.connection.tickets();
        let work = tickets.begin_instead(WorkKey::Tools(uri.clone()), Cancel::default());
        let run = begin(session, &uri, work.cancel())?;
        let (number, text) = (run.number, run.text.clone());
        let abandoned = DiscardOnDrop { documents: session.documents.clone(), uri: uri.clone(), number };
        // Dropping this value ends the progress display.
        let progress = session.connection.follow_work(&uri, "compiling");
        let done = spawn_blocking(move || run.compile()).await;
        drop(progress);
        let ListingResult { answer, reported, cubin } = done.map_err(|_| Error::internal_error())??;
        let mut folders = session.workspace.lock();
        let mut state = session.documents.lock();
        if let (Some(reported), Some(document)) = (reported, state.by_uri.get_mut(&uri))
            && document.compiled.finish(number, reported, &text)
        {
            document.changed.send_replace(());
        }
        if let Some(cubin) = &cubin {
            state.host.set_binary(listing.as_str(), cubin);
            place(&mut folders, &mut state, &listing, uri.clone());
        }
        let shows_listing = state.by_uri.contains_key(&listing);
        drop((state, folders));
        drop((abandoned, work));
        let stale = StaleDisplay { hints: shows_listing, lenses: shows_listing, findings: true };
        session.documents.refresh(stale);
        Ok(answer)
    }
}

/// The listing of a source that the server compiles or that a build has compiled.
async fn of_source(session: &Session, uri: Uri, listing: Uri) -> Result<ListingReply> {
    let (known, version, language) = {
        let state = session.documents.lock();
        let version = state.by_uri.get(&uri).map_or(0, |document| document.version);
        (state.host.code(uri.as_str()), version, state.host.language(uri.as_str()))
    };
    let (version, code) = match known {
        Some(code) => (version, code),
        None if language != Some(Language::Cuda) => {
            let reason = "no compiled code of this file is known: name the cubins of its build under `cubins` in warplens.toml";
            return Ok(ListingReply::without(version, reason, None));
        }
        None => {
            let Some(consent) = Consent::by_trusted_workspace(session.connection.facts().tools.trusted)
            else {
                return Ok(ListingReply::untrusted(version));
            };
            match session.code.compile_now(&uri, consent).await {
                Some((version, Ok(code))) => (version, code),
                None | Some((_, Err(NoCode::Cancelled))) => return Err(Error::request_cancelled()),
                Some((version, Err(why))) => {
                    return Ok(ListingReply::without(version, &why.in_words(), Remedy::for_reason(&why)));
                }
            }
        }
    };
    let name = file_name(&uri);
    let source = session.documents.lock().host.snapshot(uri.as_str(), Cancel::default());
    let source = source.ok_or_else(Error::request_cancelled)?;
    let compiled = code.clone();
    let listed = spawn_blocking(move || source.listed(&compiled)).await;
    let listed = listed.map_err(|_| Error::internal_error())?;
    let mut folders = session.workspace.lock();
    let mut state = session.documents.lock();
    state.host.set_code(listing.as_str(), listed);
    place(&mut folders, &mut state, &listing, uri);
    let shows_listing = state.by_uri.contains_key(&listing);
    drop((state, folders));
    session.documents.refresh(StaleDisplay {
        hints: shows_listing,
        lenses: shows_listing,
        findings: shows_listing,
    });
    Ok(ListingReply::of_code(version, &name, &code))
}

/// Assigns a listing to the folder of its source.
fn place(folders: &mut Folders, state: &mut OpenDocuments, listing: &Uri, source: Uri) {
    folders.sources.insert(listing.clone(), source);
    state.host.place(listing.as_str(), folders.folder_name(listing).as_deref());
    if let Some(document) = state.by_uri.get(listing) {
        document.changed.send_replace(());
    }
}

/// Creates a run on the current text. Must be called before the first await.
fn begin(session: &Session, uri: &Uri, cancel: Cancel) -> Result<Run> {
    let mut state = session.documents.lock();
    let number = session.connection.number();
    let settings = state.host.config().ptxas.clone();
    let analysis = state.host.snapshot(uri.as_str(), Cancel::default());
    let source = analysis.and_then(|analysis| analysis.ptx_source());
    let (Some(source), Some(document)) = (source, state.by_uri.get_mut(uri)) else {
        return Err(Error::invalid_params(format!(
            "{}: expected an open CUDA or PTX document",
            uri.as_str()
        )));
    };
    document.compiled.begin(number);
    let name = file_name(uri);
    Ok(Run {
        number,
        version: document.version,
        name,
        source,
        text: document.text.clone(),
        tools: session.connection.facts().tools.clone(),
        settings,
        cancel,
    })
}

/// Discards an unfinished run when this guard is dropped: the transport drops cancelled requests.
struct DiscardOnDrop {
    documents: Documents,
    uri: Uri,
    number: u64,
}

impl Drop for DiscardOnDrop {
    fn drop(&mut self) {
        if let Some(document) = self.documents.lock().by_uri.get_mut(&self.uri) {
            document.compiled.abandon(self.number);
        }
    }
}
