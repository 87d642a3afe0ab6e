//! `textDocument/definition`.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink, OneOf, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.definition_provider = Some(OneOf::Left(true));
}

pub(in crate::server) struct GotoDefinitionRequest;

impl Snapshot for GotoDefinitionRequest {
    type Params = GotoDefinitionParams;
    type Reply = Option<GotoDefinitionResponse>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.text_document_position_params.position);
        let Some((origin, targets)) = view.analysis.definitions(offset)? else { return Ok(None) };
        if view.features.definition_links {
            let links = targets.iter().map(|target| LocationLink {
                origin_selection_range: Some(places.range(&origin)),
                target_uri: view.uri.clone(),
                target_range: places.range(&target.range),
                target_selection_range: places.range(&target.selection),
            });
            return Ok(Some(GotoDefinitionResponse::Link(links.collect())));
        }
        let locations = targets
            .iter()
            .map(|target| Location { uri: view.uri.clone(), range: places.range(&target.selection) });
        Ok(Some(GotoDefinitionResponse::Array(locations.collect())))
    }
}
