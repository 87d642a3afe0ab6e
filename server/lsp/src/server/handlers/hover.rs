//! `textDocument/hover`.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::plain_text;
use crate::server::workspace::launch_text::LaunchText;
use tower_lsp_server::ls_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, ServerCapabilities, Uri,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.hover_provider = Some(HoverProviderCapability::Simple(true));
}

pub(in crate::server) struct HoverRequest;

impl Snapshot for HoverRequest {
    type Params = HoverParams;
    type Reply = Option<Hover>;

    const READS_LAUNCH_FILES: bool = true;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let mut places = view.places();
        let offset = places.offset(params.text_document_position_params.position);
        let Some(hover) = view.analysis.hover(offset)? else { return Ok(None) };
        let is_markdown = view.features.hover_markdown;
        let text = if is_markdown { with_addresses(&hover, &view.uri) } else { hover.markdown };
        let contents = plain_text::markup(text, is_markdown);
        Ok(Some(Hover { contents: HoverContents::Markup(contents), range: Some(places.range(&hover.range)) }))
    }

    fn reply_of_launch_file(file: &LaunchText, params: &Self::Params) -> Self::Reply {
        let mut places = file.places();
        let hover = file.view.hover(places.offset(params.text_document_position_params.position))?;
        let contents = plain_text::markup(hover.markdown, file.features.hover_markdown);
        Some(Hover { contents: HoverContents::Markup(contents), range: Some(places.range(&hover.range)) })
    }
}

/// Returns the hover's text. Links to lines of the document become full URIs, because clients support no
/// other links.
fn with_addresses(hover: &ide::Hover, uri: &Uri) -> String {
    // A parenthesis would end the link.
    let document = uri.as_str().replace('(', "%28").replace(')', "%29");
    let mut text = hover.markdown.clone();
    for &at in hover.links.iter().rev() {
        text.insert_str(at, &document);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_get_the_documents_address() {
        let markdown = "see [a](#L3) and [b](#L12)".to_owned();
        let links = markdown.match_indices("#L").map(|(at, _)| at).collect();
        let hover = ide::Hover { range: 0..1, markdown, links };
        let uri = "file:///x%20(1).sass".parse().expect("a URI");
        assert_eq!(
            with_addresses(&hover, &uri),
            "see [a](file:///x%20%281%29.sass#L3) and [b](file:///x%20%281%29.sass#L12)"
        );
    }
}
