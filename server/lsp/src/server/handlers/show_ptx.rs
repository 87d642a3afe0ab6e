//! `warplens/showPtx`: compiles a CUDA document to PTX.
//!
//! Parameters: `textDocument`, whose unsaved text is compiled. Result: as for `warplens/showSass`, with PTX instead
//! of a listing. Programs run only if the client has sent `trusted: true` in its `initializationOptions`.

use crate::build::NoCode;
use crate::server::code::sass_run::{ListingReply, Remedy};
use crate::server::handlers::kind::Task;
use crate::server::handlers::of_document::DocumentParams;
use crate::server::session::Session;
use crate::server::transport::uris::file_name;
use toolchain::Consent;
use tower_lsp_server::jsonrpc::{Error, Result};

pub(in crate::server) struct ShowPtxRequest;

impl Task for ShowPtxRequest {
    type Params = DocumentParams;
    type Reply = ListingReply;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = params.text_document.uri;
        let version = session.documents.lock().by_uri.get(&uri).map_or(0, |document| document.version);
        let Some(consent) = Consent::by_trusted_workspace(session.connection.facts().tools.trusted) else {
            return Ok(ListingReply::untrusted(version));
        };
        let Some(made) = session.code.ptx_now(&uri, consent).await else {
            return Err(Error::invalid_params(format!(
                "{}: expected a CUDA document that is open",
                uri.as_str()
            )));
        };
        let name = file_name(&uri);
        match made {
            Ok((text, by, map)) => Ok(ListingReply::of_ptx(version, &name, &text, &by, map)),
            Err(NoCode::Cancelled) => Err(Error::request_cancelled()),
            Err(why) => Ok(ListingReply::without(version, &why.in_words(), Remedy::for_reason(&why))),
        }
    }
}
