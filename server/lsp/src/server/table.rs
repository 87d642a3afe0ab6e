//! The methods of the protocol that are served: one line each, for dispatch and for capabilities.

use super::session::Session;
use super::transport::client_features::ClientFeatures;
use super::{handlers, initialize};
use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, CodeAction,
    CodeActionOrCommand, CodeActionParams, CodeLens, CodeLensParams, CompletionItem, CompletionParams,
    CompletionResponse, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    DocumentFormattingParams, DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams,
    DocumentRangeFormattingParams, DocumentSymbolParams, DocumentSymbolResponse, ExecuteCommandParams,
    FoldingRange, FoldingRangeParams, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, LSPAny, Location,
    PrepareRenameResponse, ReferenceParams, RenameParams, SelectionRange, SelectionRangeParams,
    SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult, ServerCapabilities,
    SignatureHelp, SignatureHelpParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

/// A request's handler is a file with `handle`, and with `offer`, which adds it to the capabilities. A request that is
/// covered by another one's offer has `handle` alone, and so has a notification. All are called in the order of arrival
/// and do all that order matters for before their first await. Those of `costs` show what code costs, and those of
/// `strings` answer in the strings of CUDA's `asm` statements: only these are offered for documents that another server
/// serves.
macro_rules! methods {
    (
        costs { $($cost:ident($cost_params:ty) -> $cost_result:ty;)+ }
        strings { $($string:ident($string_params:ty) -> $string_result:ty;)+ }
        requests { $($request:ident($params:ty) -> $result:ty;)+ }
        covered { $($covered:ident($given:ty) -> $answer:ty;)+ }
        notifications { $($notification:ident($notified:ty);)+ }
    ) => {
        impl LanguageServer for Session {
            async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
                Ok(initialize::initialize(self, params))
            }

            async fn initialized(&self, _: InitializedParams) {
                initialize::initialized(self);
            }

            async fn shutdown(&self) -> Result<()> {
                self.connection.shut_down();
                Ok(())
            }

            $(async fn $cost(&self, params: $cost_params) -> Result<$cost_result> {
                handlers::$cost::handle(self, params).await
            })+

            $(async fn $string(&self, params: $string_params) -> Result<$string_result> {
                handlers::$string::handle(self, params).await
            })+

            $(async fn $request(&self, params: $params) -> Result<$result> {
                handlers::$request::handle(self, params).await
            })+

            $(async fn $covered(&self, params: $given) -> Result<$answer> {
                handlers::$covered::handle(self, params).await
            })+

            $(async fn $notification(&self, params: $notified) {
                handlers::$notification::handle(self, params);
            })+
        }

        /// Returns the capabilities of this server for that client.
        pub(super) fn capabilities(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = costs_and_strings(client);
            $(handlers::$request::offer(client, &mut offered);)+
            offered
        }

        /// Returns those of them that documents of other servers' languages have.
        pub(super) fn costs(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = initialize::synchronisation(client);
            $(handlers::$cost::offer(client, &mut offered);)+
            offered
        }

        /// Returns those, and the ones that answer in the strings of `asm` statements.
        pub(super) fn costs_and_strings(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = costs(client);
            $(handlers::$string::offer(client, &mut offered);)+
            offered
        }
    };
}

methods! {
    costs {
        hover(HoverParams) -> Option<Hover>;
        code_lens(CodeLensParams) -> Option<Vec<CodeLens>>;
        inlay_hint(InlayHintParams) -> Option<Vec<InlayHint>>;
        code_action(CodeActionParams) -> Option<Vec<CodeActionOrCommand>>;
        diagnostic(DocumentDiagnosticParams) -> DocumentDiagnosticReportResult;
    }
    strings {
        completion(CompletionParams) -> Option<CompletionResponse>;
        signature_help(SignatureHelpParams) -> Option<SignatureHelp>;
        goto_definition(GotoDefinitionParams) -> Option<GotoDefinitionResponse>;
        references(ReferenceParams) -> Option<Vec<Location>>;
        document_highlight(DocumentHighlightParams) -> Option<Vec<DocumentHighlight>>;
    }
    requests {
        selection_range(SelectionRangeParams) -> Option<Vec<SelectionRange>>;
        document_link(DocumentLinkParams) -> Option<Vec<DocumentLink>>;
        symbol(WorkspaceSymbolParams) -> Option<WorkspaceSymbolResponse>;
        prepare_call_hierarchy(CallHierarchyPrepareParams) -> Option<Vec<CallHierarchyItem>>;
        rename(RenameParams) -> Option<WorkspaceEdit>;
        formatting(DocumentFormattingParams) -> Option<Vec<TextEdit>>;
        range_formatting(DocumentRangeFormattingParams) -> Option<Vec<TextEdit>>;
        semantic_tokens_full(SemanticTokensParams) -> Option<SemanticTokensResult>;
        document_symbol(DocumentSymbolParams) -> Option<DocumentSymbolResponse>;
        folding_range(FoldingRangeParams) -> Option<Vec<FoldingRange>>;
        execute_command(ExecuteCommandParams) -> Option<LSPAny>;
    }
    covered {
        incoming_calls(CallHierarchyIncomingCallsParams) -> Option<Vec<CallHierarchyIncomingCall>>;
        outgoing_calls(CallHierarchyOutgoingCallsParams) -> Option<Vec<CallHierarchyOutgoingCall>>;
        completion_resolve(CompletionItem) -> CompletionItem;
        prepare_rename(TextDocumentPositionParams) -> Option<PrepareRenameResponse>;
        code_action_resolve(CodeAction) -> CodeAction;
        inlay_hint_resolve(InlayHint) -> InlayHint;
        semantic_tokens_full_delta(SemanticTokensDeltaParams) -> Option<SemanticTokensFullDeltaResult>;
        semantic_tokens_range(SemanticTokensRangeParams) -> Option<SemanticTokensRangeResult>;
        code_lens_resolve(CodeLens) -> CodeLens;
    }
    notifications {
        did_open(DidOpenTextDocumentParams);
        did_change(DidChangeTextDocumentParams);
        did_close(DidCloseTextDocumentParams);
        did_change_configuration(DidChangeConfigurationParams);
        did_change_workspace_folders(DidChangeWorkspaceFoldersParams);
        did_change_watched_files(DidChangeWatchedFilesParams);
    }
}
