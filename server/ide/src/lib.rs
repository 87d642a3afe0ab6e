//! The boundary between the engine and its clients: plain data in, plain data out.
//!
//! A [`Host`] holds the open documents and the configuration; [`Host::snapshot`] gives an immutable [`Analysis`] of one
//! document, on which every request is answered. Places are byte offsets in the document's text; no editor's types.

mod access;
mod advice;
mod analysis;
pub mod binary;
mod cancel;
mod complete;
mod config;
mod constant_reads;
mod context;
mod control_words;
mod copy;
mod cycle_words;
pub mod cycles;
mod document;
mod early;
mod findings;
mod fixes;
mod folds;
mod format;
mod hazards;
mod hints;
mod host;
mod hover;
mod issue_simulation;
mod kernel;
mod kind_names;
mod known_predictions;
mod language;
mod launch;
mod launch_cycles;
mod launch_file;
mod lenses;
mod lineage;
mod listings;
mod live;
mod loop_lenses;
pub mod names;
mod navigate;
mod numbers;
mod places;
mod plain;
pub mod predict;
mod prediction;
mod prepare;
mod ptx;
mod questions;
mod recent;
pub mod report;
mod rules;
mod sass_answers;
mod sass_reports;
mod sass_text;
mod sass_view;
mod schedule;
mod selection;
mod semantic;
mod signature;
mod size;
mod stated;
mod summary;
mod survey;
mod symbols;
mod target;
mod watch;

pub use access::{AccessRow, Chosen, LaunchAccesses, Picture};
pub use advice::{AdviceAction, AdviceEdit};
pub use analysis::Analysis;
pub use cancel::{Cancel, Cancelled};
pub use complete::{Completion, CompletionKind, Completions};
pub use config::{
    Config, ConfigError, ControlPicture, HintKinds, Limits, ModelChoice, Optimization, PtxasSettings,
    RuleLevel,
};
pub use copy::{Assembler, Copied};

pub use fixes::Fix;
pub use host::{DocumentId, Host};
pub use language::Language;
pub use launch_file::{
    LaunchEntry, LaunchFile, LaunchReader, ParamValue, Problem, StatedLimits, StatedTrips,
};
pub use listings::ListingPattern;
pub use model::launch::Stating;
pub use navigate::{
    CallItem, CallSite, FoundSymbol, NamedFunction, Reference, Refusal, SourceLink,
    Target as NavigationTarget, Usage,
};
pub use plain::{
    Diagnostic, Fold, FoldKind, Hint, HintKind, Hover, Lens, LensOf, LensPlace, Related, SemanticKind,
    SemanticToken, Severity, Symbol, SymbolKind, TextEdit,
};
pub use ptx::{LineMap, MappedFunction, PtxFunction, PtxSource};
pub use rules::{RuleInfo, rule_page, rules};
pub use sass_view::SassView;
pub use schedule::{
    Freedom, NotScheduled, PlacedInstruction, PredictedCycles, ScheduleAction, ScheduleScope, ScheduledKernel,
};
pub use selection::SelectionCycles;
pub use signature::{Signature, SignatureOperand};
pub use size::{MOST_BYTES, MOST_TOKENS_OF_A_LINE, TooLarge};
pub use summary::Summary;
