//! Documents and the facts about documents: source text, settings, launches, kernel models, and memoised results.
//!
//! The modules do not depend on features such as hints or hovers.

pub(crate) mod cancel;
pub(crate) mod code;
pub(crate) mod codes;
pub(crate) mod config;
pub(crate) mod constant_reads;
pub(crate) mod context;
pub(crate) mod cubin_facts;
pub(crate) mod cubins;
pub(crate) mod cuda_text;
pub(crate) mod digits;
pub(crate) mod document;
pub(crate) mod issue_simulation;
pub(crate) mod kernel;
pub(crate) mod kernel_view;
pub(crate) mod language;
pub(crate) mod launch_file;
pub(crate) mod line_moves;
pub(crate) mod lineage;
pub(crate) mod listings;
pub(crate) mod lowered;
pub(crate) mod measured;
pub mod names;
pub(crate) mod origin;
pub(crate) mod outline;
pub(crate) mod parameters;
pub(crate) mod plain;
pub(crate) mod prediction_store;
pub(crate) mod profile_launch;
pub(crate) mod profiles;
pub(crate) mod proposed;
pub(crate) mod ptx_memo;
pub(crate) mod ptx_text;
pub(crate) mod recent;
pub(crate) mod rules;
pub(crate) mod sass_text;
pub(crate) mod sass_view;
pub(crate) mod size;
pub(crate) mod source_facts;
pub(crate) mod source_place;
pub(crate) mod stated;
pub(crate) mod stored_predictions;
pub(crate) mod survey;
pub(crate) mod target;
pub(crate) mod to_state;
