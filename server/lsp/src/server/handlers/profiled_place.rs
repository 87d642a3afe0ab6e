//! `warplens/profiledPlace`: finds the code at an address of a profile in the open documents.
//!
//! Parameters: `kernel`, as the profile names it, and `address`, in bytes from its start. Result: a location in the
//! document that was viewed last, or else in any open document; null if no document has such an instruction.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Location, Uri};

#[derive(Debug, Deserialize)]
pub(in crate::server) struct ProfiledPlaceParams {
    kernel: String,
    address: u64,
}

pub(in crate::server) struct ProfiledPlaceRequest;

impl Task for ProfiledPlaceRequest {
    type Params = ProfiledPlaceParams;
    type Reply = Option<Location>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let open: Vec<Uri> = {
            let state = session.documents.lock();
            let others = state.by_uri.keys().filter(|uri| Some(*uri) != state.active.as_ref());
            state.active.iter().chain(others).cloned().collect()
        };
        for uri in open {
            let kernel = params.kernel.clone();
            let address = params.address;
            let found = session.documents.answer(&uri, move |view| {
                let range = view.analysis.profiled_place(&kernel, address)?;
                Ok(range.map(|range| view.places().range(&range)))
            });
            if let Some(range) = found.await?.flatten() {
                return Ok(Some(Location { uri, range }));
            }
        }
        Ok(None)
    }
}
