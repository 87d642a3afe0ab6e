//! The served methods, one line each, from which dispatch and capabilities are generated. Each method has a file with
//! the type that serves it; `kind` has the handler traits.

mod attach_profiles;
mod call_hierarchy;
mod code_action;
mod code_action_resolve;
mod code_lens;
mod code_lens_resolve;
mod compare_code;
mod compare_gpus;
mod compare_profiles;
mod completion;
mod completion_resolve;
mod copy_as;
mod diagnostic;
mod did_change;
mod did_change_configuration;
mod did_change_watched_files;
mod did_change_workspace_folders;
mod did_close;
mod did_open;
mod document_highlight;
mod document_link;
mod document_symbol;
mod edits;
mod execute_command;
mod fill_in;
mod folding_range;
mod follow_advice;
mod formatting;
mod goto_definition;
mod gpu;
mod gpus;
mod heat;
mod hover;
mod incoming_calls;
mod inlay_hint;
mod inlay_hint_resolve;
mod kernel_roofline;
mod kernel_summary;
mod kind;
mod occupancy_curves;
mod of_document;
mod open_binary;
mod outgoing_calls;
mod pin_code;
mod prepare_call_hierarchy;
mod prepare_rename;
mod profiled_launches;
mod profiled_place;
mod range_formatting;
mod references;
mod relations;
mod rename;
mod rule_page;
mod selection_cycles;
mod selection_range;
pub(super) mod semantic_tokens;
mod semantic_tokens_full;
mod semantic_tokens_full_delta;
mod semantic_tokens_range;
mod set_trace;
mod show_ptx;
mod show_sass;
mod signature_help;
mod state_launch;
mod symbol;
mod top_down;
mod tune;
mod view_text;
mod work_done_progress_cancel;

use super::initialize;
use super::session::Session;
use super::transport::client_features::ClientFeatures;
use kind::{Mutation, Snapshot, Task};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{InitializeParams, InitializeResult, InitializedParams, ServerCapabilities};
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};

/// Each line names a method, the trait of its handler and the type that serves the method. The file of that type has
/// the method's name. The file of a protocol request also has a function `offer`, which adds the request to the
/// capabilities, unless another request's `offer` covers it. Methods under `costs` show what code costs, and methods
/// under `strings` are answered inside the strings of CUDA's `asm` statements. Only these two groups are offered for
/// documents that another server serves. The methods of `own_requests` and `own_notifications` are not in the
/// protocol crate's list.
macro_rules! methods {
    (
        costs { $($cost:ident: $cost_kind:ident $cost_type:ident;)+ }
        strings { $($string:ident: $string_kind:ident $string_type:ident;)+ }
        requests { $($request:ident: $request_kind:ident $request_type:ident;)+ }
        covered { $($covered:ident: $covered_kind:ident $covered_type:ident;)+ }
        notifications { $($notification:ident: $notification_kind:ident $notification_type:ident;)+ }
        own_requests { $($own_method:literal: $own:ident $own_kind:ident $own_type:ident;)+ }
        own_notifications { $($sent_method:literal: $sent:ident $sent_kind:ident $sent_type:ident;)+ }
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

            $(async fn $cost(
                &self,
                params: <$cost::$cost_type as $cost_kind>::Params,
            ) -> Result<<$cost::$cost_type as $cost_kind>::Reply> {
                <$cost::$cost_type as $cost_kind>::serve(self, params).await
            })+

            $(async fn $string(
                &self,
                params: <$string::$string_type as $string_kind>::Params,
            ) -> Result<<$string::$string_type as $string_kind>::Reply> {
                <$string::$string_type as $string_kind>::serve(self, params).await
            })+

            $(async fn $request(
                &self,
                params: <$request::$request_type as $request_kind>::Params,
            ) -> Result<<$request::$request_type as $request_kind>::Reply> {
                <$request::$request_type as $request_kind>::serve(self, params).await
            })+

            $(async fn $covered(
                &self,
                params: <$covered::$covered_type as $covered_kind>::Params,
            ) -> Result<<$covered::$covered_type as $covered_kind>::Reply> {
                <$covered::$covered_type as $covered_kind>::serve(self, params).await
            })+


            $(async fn $notification(
                &self,
                params: <$notification::$notification_type as $notification_kind>::Params,
            ) {
                <$notification::$notification_type as $notification_kind>::apply(self, params);
            })+
        }

        /// Builds the service with all methods, for the session that `start` creates.
        pub(super) fn service(start: impl FnOnce(Client) -> Session) -> (LspService<Session>, ClientSocket) {
            LspService::build(start)
                $(.custom_method($own_method, <$own::$own_type as $own_kind>::serve))+
                $(.custom_method($sent_method, async |session: &Session, params| {
                    <$sent::$sent_type as $sent_kind>::apply(session, params);
                }))+
                .finish()
        }

        /// Returns the capabilities of this server for `client`.
        pub(super) fn capabilities(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = costs_and_strings(client);
            $($request::offer(client, &mut offered);)+
            offered
        }

        /// Returns the capabilities for documents that another server serves: only the requests that show costs.
        pub(super) fn costs(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = initialize::synchronisation(client);
            $($cost::offer(client, &mut offered);)+
            offered
        }

        /// Returns [`costs`] together with the requests that are answered inside the strings of `asm` statements.
        pub(super) fn costs_and_strings(client: &ClientFeatures) -> ServerCapabilities {
            let mut offered = costs(client);
            $($string::offer(client, &mut offered);)+
            offered
        }
    };
}

methods! {
    costs {
        hover: Snapshot HoverRequest;
        code_lens: Task CodeLensRequest;
        inlay_hint: Task InlayHintRequest;
        code_action: Task CodeActionRequest;
        diagnostic: Task DiagnosticRequest;
    }
    strings {
        completion: Snapshot CompletionRequest;
        signature_help: Snapshot SignatureHelpRequest;
        goto_definition: Snapshot GotoDefinitionRequest;
        references: Snapshot ReferencesRequest;
        document_highlight: Snapshot DocumentHighlightRequest;
    }
    requests {
        selection_range: Snapshot SelectionRangeRequest;
        document_link: Task DocumentLinkRequest;
        symbol: Task SymbolRequest;
        prepare_call_hierarchy: Snapshot PrepareCallHierarchyRequest;
        rename: Snapshot RenameRequest;
        formatting: Snapshot FormattingRequest;
        range_formatting: Snapshot RangeFormattingRequest;
        semantic_tokens_full: Task SemanticTokensFullRequest;
        document_symbol: Snapshot DocumentSymbolRequest;
        folding_range: Snapshot FoldingRangeRequest;
        execute_command: Task ExecuteCommandRequest;
    }
    covered {
        incoming_calls: Snapshot IncomingCallsRequest;
        outgoing_calls: Snapshot OutgoingCallsRequest;
        completion_resolve: Task CompletionResolveRequest;
        prepare_rename: Snapshot PrepareRenameRequest;
        code_action_resolve: Task CodeActionResolveRequest;
        inlay_hint_resolve: Task InlayHintResolveRequest;
        semantic_tokens_full_delta: Task SemanticTokensFullDeltaRequest;
        semantic_tokens_range: Snapshot SemanticTokensRangeRequest;
        code_lens_resolve: Task CodeLensResolveRequest;
    }
    notifications {
        did_open: Mutation DidOpenNotification;
        did_change: Mutation DidChangeNotification;
        did_close: Mutation DidCloseNotification;
        did_change_configuration: Mutation DidChangeConfigurationNotification;
        did_change_workspace_folders: Mutation DidChangeWorkspaceFoldersNotification;
        did_change_watched_files: Mutation DidChangeWatchedFilesNotification;
    }
    own_requests {
        "warplens/viewText": view_text Task ViewTextRequest;
        "warplens/kernelSummary": kernel_summary Task KernelSummaryRequest;
        "warplens/kernelRoofline": kernel_roofline Task KernelRooflineRequest;
        "warplens/gpu": gpu Snapshot GpuRequest;
        "warplens/gpus": gpus Task GpusRequest;
        "warplens/rulePage": rule_page Task RulePageRequest;
        "warplens/selectionCycles": selection_cycles Snapshot SelectionCyclesRequest;
        "warplens/copyAs": copy_as Snapshot CopyAsRequest;
        "warplens/openBinary": open_binary Task OpenBinaryRequest;
        "warplens/showSass": show_sass Task ShowSassRequest;
        "warplens/showPtx": show_ptx Task ShowPtxRequest;
        "warplens/pinCode": pin_code Task PinCodeRequest;
        "warplens/compareCode": compare_code Task CompareCodeRequest;
        "warplens/attachProfiles": attach_profiles Task AttachProfilesRequest;
        "warplens/compareProfiles": compare_profiles Task CompareProfilesRequest;
        "warplens/profiledLaunches": profiled_launches Task ProfiledLaunchesRequest;
        "warplens/profiledPlace": profiled_place Task ProfiledPlaceRequest;
        "warplens/topDown": top_down Task TopDownRequest;
        "warplens/heat": heat Snapshot HeatRequest;
        "warplens/relations": relations Snapshot RelationsRequest;
        "warplens/occupancyCurves": occupancy_curves Snapshot OccupancyCurvesRequest;
        "warplens/compareGpus": compare_gpus Snapshot CompareGpusRequest;
        "warplens/tune": tune Task TuneRequest;
        "warplens/followAdvice": follow_advice Task FollowAdviceRequest;
    }
    own_notifications {
        "$/setTrace": set_trace Mutation SetTraceNotification;
        "window/workDoneProgress/cancel": work_done_progress_cancel Mutation WorkDoneProgressCancelNotification;
    }
}
