//! `textDocument/references`.

use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use ide::Usage;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Location, OneOf, ReferenceParams, ServerCapabilities};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.references_provider = Some(OneOf::Left(true));
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>> {
    let declarations = params.context.include_declaration;
    let answer = session.documents.answer_at(params.text_document_position, move |view, places, offset| {
        let references = view.analysis.references(offset)?.into_iter();
        let wanted = references.filter(|reference| declarations || reference.usage != Usage::Write);
        let locations =
            wanted.map(|reference| Location { uri: view.uri.clone(), range: places.range(&reference.range) });
        Ok(Some(view.unless_nothing(locations.collect())))
    });
    Ok(answer.await?.unwrap_or_else(|| Some(Vec::new())))
}
