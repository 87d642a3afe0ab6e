//! Features that the client supports, read once from its capabilities.

use crate::server::transport::position::Encoding;
use tower_lsp_server::ls_types::{
    ClientCapabilities, DynamicRegistrationClientCapabilities, MarkupKind, ResourceOperationKind,
    SemanticTokensFullOptions, TextDocumentClientCapabilities,
};

#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent feature")]
pub(crate) struct ClientFeatures {
    pub(crate) encoding: Encoding,
    /// True if the client shows hovers as Markdown; otherwise it shows plain text.
    pub(crate) hover_markdown: bool,
    /// True if the client accepts definitions as links, with the range that they start from.
    pub(crate) definition_links: bool,
    /// True if the client shows symbols as a tree; otherwise it shows a flat list.
    pub(crate) symbol_tree: bool,
    /// True if the client folds only whole lines.
    pub(crate) whole_line_folds: bool,
    pub(crate) max_folds: Option<usize>,
    pub(crate) diagnostic_versions: bool,
    pub(crate) related_information: bool,
    /// True if the client shows a finding's code as a link, and opens the rule's page by its address.
    pub(crate) rule_links: bool,
    /// True if the client has the command `warplens.explainRule`, which shows a rule's page.
    pub(crate) explains_rules: bool,
    /// True if the client pulls findings, and pulls them again when the server requests it; otherwise, findings are
    /// pushed. A client that pulls but does not accept such a request (Neovim up to 0.11) would keep findings that a
    /// change of settings has made outdated.
    pub(crate) pulls_findings: bool,
    /// True if the client accepts tokens as edits of an earlier answer.
    pub(crate) token_deltas: bool,
    /// True if the client requests a hint's tooltip only when it is to be shown.
    pub(crate) lazy_tooltips: bool,
    /// True if the client accepts completions with tab stops.
    pub(crate) snippets: bool,
    pub(crate) completion_markdown: bool,
    /// True if the client shows a short description next to the label of every proposal.
    pub(crate) label_details: bool,
    pub(crate) signature_markdown: bool,
    /// True if the client accepts a signature's operands as column ranges of its label; otherwise they are sent as
    /// text.
    pub(crate) signature_offsets: bool,
    /// True if the client sends `textDocument/prepareRename` before it asks the user for a name.
    pub(crate) prepares_renames: bool,
    /// True if the client accepts edits that apply to one version only.
    pub(crate) versioned_edits: bool,
    /// True if the client shows the description that an action's edits carry.
    pub(crate) described_edits: bool,
    /// True if the client applies edits that it did not request.
    pub(crate) applies_edits: bool,
    /// True if the client opens a document at the server's request.
    pub(crate) shows_documents: bool,
    /// True if the client can create a file as part of an edit.
    pub(crate) makes_files: bool,
    /// True if the client accepts quick fixes as edits, not only as commands.
    pub(crate) code_actions: bool,
    /// True if the client requests an action's edit when the action is chosen.
    pub(crate) resolves_actions: bool,
    pub(crate) refreshes_hints: bool,
    pub(crate) refreshes_lenses: bool,
    /// True if the client shows the progress of long work, once the server requests it.
    pub(crate) progress: bool,
    /// True if the client accepts `experimental/serverStatus`.
    pub(crate) server_status: bool,
    /// True if the client accepts `warplens/codeChanged`.
    pub(crate) code_changes: bool,
    /// True if the client accepts `warplens/profilesChanged`.
    pub(crate) profile_changes: bool,
    /// True if the client answers `workspace/configuration`.
    pub(crate) configuration: bool,
    /// True if the client accepts a registration for `workspace/didChangeConfiguration`.
    pub(crate) registers_configuration: bool,
    /// True if the client accepts registrations for documents, and then sends these documents.
    pub(crate) registers_documents: bool,
    /// Methods that the client can register for documents.
    pub(crate) registered_requests: Vec<&'static str>,
    /// True if the client accepts a registration for `workspace/didChangeWatchedFiles`.
    pub(crate) registers_watching: bool,
    /// True if the client watches glob patterns that are relative to a folder.
    pub(crate) relative_patterns: bool,
}

impl ClientFeatures {
    pub(crate) fn read(client: &ClientCapabilities) -> Self {
        let text = client.text_document.as_ref();
        let workspace = client.workspace.as_ref();
        let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let folds = text.and_then(|text| text.folding_range.as_ref());
        let publish = text.and_then(|text| text.publish_diagnostics.as_ref());
        let pull = text.and_then(|text| text.diagnostic.as_ref());
        let tokens = text.and_then(|text| text.semantic_tokens.as_ref());
        let tooltips = text.and_then(|text| text.inlay_hint.as_ref()?.resolve_support.as_ref());
        let item = text.and_then(|text| text.completion.as_ref()?.completion_item.as_ref());
        let signature = text.and_then(|text| text.signature_help.as_ref()?.signature_information.as_ref());
        let markdown = |formats: Option<&Vec<MarkupKind>>| {
            formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown))
        };
        let experimental = |name: &str| {
            let all = client.experimental.as_ref();
            all.and_then(|all| all.get(name)?.as_bool()) == Some(true)
        };
        Self {
            encoding: Encoding::negotiate(offered),
            hover_markdown: markdown(text.and_then(|text| text.hover.as_ref()?.content_format.as_ref())),
            definition_links: is(text.and_then(|text| text.definition.as_ref()?.link_support)),
            symbol_tree: is(
                text.and_then(|text| text.document_symbol.as_ref()?.hierarchical_document_symbol_support)
            ),
            whole_line_folds: is(folds.and_then(|folds| folds.line_folding_only)),
            max_folds: folds.and_then(|folds| folds.range_limit).map(|limit| limit as usize),
            diagnostic_versions: is(publish.and_then(|publish| publish.version_support)),
            related_information: is(publish.and_then(|publish| publish.related_information))
                || is(pull.and_then(|pull| pull.related_information)),
            rule_links: experimental("rulePages")
                && (is(publish.and_then(|publish| publish.code_description_support))
                    || is(pull.and_then(|pull| pull.code_description_support))),
            explains_rules: experimental("explainRule"),
            pulls_findings: pull.is_some()
                && is(workspace.and_then(|w| w.diagnostics.as_ref()?.refresh_support)),
            token_deltas: tokens.is_some_and(|tokens| {
                matches!(tokens.requests.full, Some(SemanticTokensFullOptions::Delta { delta: Some(true) }))
            }),
            lazy_tooltips: tooltips
                .is_some_and(|support| support.properties.iter().any(|property| property == "tooltip")),
            snippets: is(item.and_then(|item| item.snippet_support)),
            completion_markdown: markdown(item.and_then(|item| item.documentation_format.as_ref())),
            label_details: is(item.and_then(|item| item.label_details_support)),
            signature_markdown: markdown(signature.and_then(|own| own.documentation_format.as_ref())),
            signature_offsets: is(
                signature.and_then(|own| own.parameter_information.as_ref()?.label_offset_support)
            ),
            prepares_renames: is(text.and_then(|text| text.rename.as_ref()?.prepare_support)),
            versioned_edits: is(workspace.and_then(|w| w.workspace_edit.as_ref()?.document_changes)),
            described_edits: workspace
                .and_then(|w| w.workspace_edit.as_ref())
                .is_some_and(|edit| is(edit.document_changes) && edit.change_annotation_support.is_some())
                && is(text.and_then(|text| text.code_action.as_ref()?.honors_change_annotations)),
            applies_edits: is(workspace.and_then(|w| w.apply_edit)),
            shows_documents: client
                .window
                .as_ref()
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            makes_files: workspace
                .and_then(|w| w.workspace_edit.as_ref()?.resource_operations.as_ref())
                .is_some_and(|operations| operations.contains(&ResourceOperationKind::Create)),
            code_actions: text
                .and_then(|text| text.code_action.as_ref())
                .is_some_and(|actions| actions.code_action_literal_support.is_some()),
            resolves_actions: text
                .and_then(|text| text.code_action.as_ref()?.resolve_support.as_ref())
                .is_some_and(|support| support.properties.iter().any(|property| property == "edit")),
            refreshes_hints: is(workspace.and_then(|w| w.inlay_hint.as_ref()?.refresh_support)),
            refreshes_lenses: is(workspace.and_then(|w| w.code_lens.as_ref()?.refresh_support)),
            progress: is(client.window.as_ref().and_then(|window| window.work_done_progress)),
            server_status: experimental("serverStatusNotification"),
            code_changes: experimental("codeChangeNotification"),
            profile_changes: experimental("profileChangeNotification"),
            configuration: is(workspace.and_then(|w| w.configuration)),
            registers_configuration: is(
                workspace.and_then(|w| w.did_change_configuration.as_ref()?.dynamic_registration)
            ),
            registers_documents: is(text.and_then(|text| text.synchronization.as_ref()?.dynamic_registration)),
            registered_requests: text.map(registered_requests).unwrap_or_default(),
            registers_watching: is(
                workspace.and_then(|w| w.did_change_watched_files.as_ref()?.dynamic_registration)
            ),
            relative_patterns: is(
                workspace.and_then(|w| w.did_change_watched_files.as_ref()?.relative_pattern_support)
            ),
        }
    }
}

/// Methods that the client can register dynamically, for documents that another server serves and for launches files.
fn registered_requests(text: &TextDocumentClientCapabilities) -> Vec<&'static str> {
    let dynamic = |ability: Option<&DynamicRegistrationClientCapabilities>| ability?.dynamic_registration;
    let all = [
        ("textDocument/hover", text.hover.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/codeLens", dynamic(text.code_lens.as_ref())),
        ("textDocument/inlayHint", text.inlay_hint.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/codeAction", text.code_action.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/diagnostic", text.diagnostic.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/completion", text.completion.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/signatureHelp", text.signature_help.as_ref().and_then(|own| own.dynamic_registration)),
        (
            "textDocument/semanticTokens",
            text.semantic_tokens.as_ref().and_then(|own| own.dynamic_registration),
        ),
        ("textDocument/definition", text.definition.as_ref().and_then(|own| own.dynamic_registration)),
        ("textDocument/references", dynamic(text.references.as_ref())),
        ("textDocument/documentHighlight", dynamic(text.document_highlight.as_ref())),
    ];
    all.into_iter().filter_map(|(method, ability)| is(ability).then_some(method)).collect()
}

/// True if the client declares the ability; false if the client does not mention it.
fn is(ability: Option<bool>) -> bool {
    ability.unwrap_or(false)
}
