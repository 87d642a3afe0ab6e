//! One file for each method. `../table.rs` lists those of the protocol, but for `$/setTrace` and
//! `window/workDoneProgress/cancel`: these and the methods of `warplens/` are named in `../mod.rs`.

pub(super) mod initialize;
pub(super) mod initialized;

pub(super) mod did_change;
pub(super) mod did_change_configuration;
pub(super) mod did_change_watched_files;
pub(super) mod did_change_workspace_folders;
pub(super) mod did_close;
pub(super) mod did_open;
pub(super) mod set_trace;
pub(super) mod work_done_progress_cancel;

pub(super) mod code_action;
pub(super) mod code_action_resolve;
pub(super) mod code_lens;
pub(super) mod code_lens_resolve;
pub(super) mod compare_code;
pub(super) mod compare_gpus;
pub(super) mod compare_profiles;
pub(super) mod completion;
pub(super) mod completion_resolve;
pub(super) mod copy_as;
pub(super) mod diagnostic;
pub(super) mod document_highlight;
pub(super) mod document_link;
pub(super) mod document_symbol;
pub(super) mod execute_command;
mod fill_in;
pub(super) mod folding_range;
pub(super) mod formatting;
pub(super) mod goto_definition;
pub(super) mod gpu;
pub(super) mod gpus;
pub(super) mod hover;
pub(super) mod incoming_calls;
pub(super) mod inlay_hint;
pub(super) mod inlay_hint_resolve;
pub(super) mod kernel_roofline;
pub(super) mod kernel_summary;
pub(super) mod occupancy_curves;
pub(super) mod open_binary;
pub(super) mod outgoing_calls;
pub(super) mod pin_code;
pub(super) mod prepare_call_hierarchy;
pub(super) mod prepare_rename;
pub(super) mod range_formatting;
pub(super) mod references;
pub(super) mod relations;
pub(super) mod rename;
pub(super) mod rule_page;
pub(super) mod selection_cycles;
pub(super) mod selection_range;
pub(super) mod semantic_tokens_full;
pub(super) mod semantic_tokens_full_delta;
pub(super) mod semantic_tokens_range;
pub(super) mod show_ptx;
pub(super) mod show_sass;
pub(super) mod signature_help;
pub(super) mod symbol;
pub(super) mod view_text;

mod call_hierarchy;
mod edits;
pub(super) mod semantic_tokens;
mod state_launch;

pub(super) mod attach_profiles;
pub(super) mod follow_advice;
pub(super) mod heat;
pub(super) mod profiled_launches;
pub(super) mod profiled_place;
pub(super) mod top_down;
pub(super) mod tune;
