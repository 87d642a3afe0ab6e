//! `textDocument/completion`. [`super::completion_resolve`] adds an item's documentation.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::plain_text;
use crate::server::workspace::launch_text::LaunchText;
use ide::{Completion, CompletionKind};
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionOptions, CompletionParams,
    CompletionResponse, CompletionTextEdit, Documentation, InsertTextFormat, Range, ServerCapabilities,
    TextEdit, Uri,
};

/// Data by which an item is resolved.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnresolvedCompletion {
    pub uri: Uri,
    pub kind: CompletionKind,
    /// Opcode of a modifier; empty for other items.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opcode: String,
}

/// Trigger characters: the beginnings of a modifier, a guard, a label in parentheses, a PTX register, an address.
const TRIGGERS: [&str; 5] = [".", "@", "(", "%", "["];

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.completion_provider = Some(CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        ..CompletionOptions::default()
    });
}

pub(in crate::server) struct CompletionRequest;

impl Snapshot for CompletionRequest {
    type Params = CompletionParams;
    type Reply = Option<CompletionResponse>;

    const READS_LAUNCH_FILES: bool = true;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let mut places = view.places();
        let offset = places.offset(params.text_document_position.position);
        let Some(found) = view.analysis.completions(offset)? else { return Ok(None) };
        let range = places.range(&found.range);
        // Without snippet support, a client would insert the label, which is not part of a skeleton's text.
        let snippets = view.features.snippets;
        let items = found.items.into_iter().filter(|item| snippets || item.kind != CompletionKind::Snippet);
        let items = items.enumerate().map(|(order, proposed)| {
            let unresolved = UnresolvedCompletion {
                uri: view.uri.clone(),
                kind: proposed.kind,
                opcode: found.opcode.clone(),
            };
            let data = proposed.kind.has_page().then(|| serde_json::to_value(unresolved).unwrap_or_default());
            CompletionItem {
                data,
                sort_text: Some(format!("{order:05}")),
                ..item(proposed, range, &view.features)
            }
        });
        Ok(Some(CompletionResponse::Array(items.collect())))
    }

    fn reply_of_launch_file(file: &LaunchText, params: &Self::Params) -> Self::Reply {
        let mut places = file.places();
        let found = file.view.completions(places.offset(params.text_document_position.position))?;
        let range = places.range(&found.range);
        let items = found.items.into_iter().enumerate();
        let items = items.map(|(order, proposed)| CompletionItem {
            sort_text: Some(format!("{order:05}")),
            ..item(proposed, range, &file.features)
        });
        Some(CompletionResponse::Array(items.collect()))
    }
}

fn item(proposed: Completion, range: Range, client: &ClientFeatures) -> CompletionItem {
    let snippet = proposed.snippet.filter(|_| client.snippets);
    let insert_text_format = snippet.is_some().then_some(InsertTextFormat::SNIPPET);
    let new_text = snippet.unwrap_or_else(|| proposed.label.clone());
    let short = (!proposed.detail.is_empty()).then_some(proposed.detail);
    // A description is shown next to every label, whereas a detail is shown only for the chosen one.
    let (label_details, detail) = if client.label_details {
        (short.map(|text| CompletionItemLabelDetails { detail: None, description: Some(text) }), None)
    } else {
        (None, short)
    };
    let said = Some(proposed.documentation).filter(|text| !text.is_empty());
    let documentation =
        said.map(|text| Documentation::MarkupContent(plain_text::markup(text, client.completion_markdown)));
    CompletionItem {
        kind: Some(kind(proposed.kind)),
        label_details,
        detail,
        documentation,
        insert_text_format,
        filter_text: proposed.filter,
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
        label: proposed.label,
        ..CompletionItem::default()
    }
}

const fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Opcode | CompletionKind::Function => CompletionItemKind::FUNCTION,
        CompletionKind::Modifier => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::SpecialRegister => CompletionItemKind::CONSTANT,
        CompletionKind::Register | CompletionKind::Name | CompletionKind::Variable => {
            CompletionItemKind::VARIABLE
        }
        CompletionKind::Label => CompletionItemKind::REFERENCE,
        CompletionKind::ControlCode | CompletionKind::Snippet => CompletionItemKind::SNIPPET,
        CompletionKind::Directive => CompletionItemKind::KEYWORD,
        CompletionKind::Type => CompletionItemKind::STRUCT,
        CompletionKind::Key => CompletionItemKind::PROPERTY,
        CompletionKind::Value => CompletionItemKind::VALUE,
    }
}
