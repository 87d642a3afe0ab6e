//! `textDocument/references`.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use ide::Usage;
use tower_lsp_server::ls_types::{Location, OneOf, ReferenceParams, ServerCapabilities};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.references_provider = Some(OneOf::Left(true));
}

pub(in crate::server) struct ReferencesRequest;

impl Snapshot for ReferencesRequest {
    type Params = ReferenceParams;
    type Reply = Option<Vec<Location>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.text_document_position.position);
        let references = view.analysis.references(offset)?.into_iter();
        let wanted = references
            .filter(|reference| params.context.include_declaration || reference.usage != Usage::Write);
        let locations =
            wanted.map(|reference| Location { uri: view.uri.clone(), range: places.range(&reference.range) });
        Ok(view.unless_nothing(locations.collect()))
    }

    fn without_document() -> Self::Reply {
        Some(Vec::new())
    }
}
